// The steps of a container's start, in their order.
import { assignDevices } from './assign-devices.ts';
import { localize } from './localize.ts';
import { makeFolders } from './make-folders.ts';
import { record } from './record.ts';
import { start } from './start.ts';
import type { StartStep } from './step.ts';
import { writeScript } from './write-script.ts';

/** Before the container counts as scheduled: its files are brought. */
export const preparingSteps: readonly StartStep[] = [makeFolders, localize];
/** Until its process runs. */
export const launchingSteps: readonly StartStep[] = [assignDevices, writeScript, record, start];
/** All of them; undone last to first. */
export const startSteps: readonly StartStep[] = [...preparingSteps, ...launchingSteps];
/** What a container takes that is started again in its folder: its script may be another one. */
export const startingAgainSteps: readonly StartStep[] = [localize, writeScript, start];
