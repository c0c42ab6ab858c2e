// How many instances of a run there are to be, changed while it lives.
import { failure } from '../../model/errors.ts';
import type { SchedulingPolicy } from '../../scheduler/policy.ts';
import { commandMaster, mostInstances } from '../../wire/cluster/command-job.ts';
import { type Application, publicState } from '../applications/application.ts';
import { isCompletedState } from '../applications/application-states.ts';
import type { Caller } from './caller.ts';
import { type ApplicationPorts, findApplication, isSettledAt, isYoung, mustModify } from './find-application.ts';
import { jobOf } from './submitted-job.ts';

export interface SetInstancesPorts extends ApplicationPorts {
  readonly policy: Pick<SchedulingPolicy, 'minimumAllocation'>;
  /** Resolves when what holds now is durable. */
  readonly settled: (application: Application) => Promise<void>;
  /** Sets it and tells the master; resolves when that is durable. */
  readonly setInstances: (application: Application, change: { readonly before: number; readonly after: number }) => Promise<void>;
}

/**
 * Changes how many instances of a run there are to be. Its master asks for more, or gives those of the highest numbers back.
 * @throws Failure ID_MALFORMED, APPLICATION_NOT_FOUND, INSTANCES_REFUSED, RUN_NOT_KNOWN, APPLICATION_TOO_YOUNG, RUN_IS_OVER, INSTANCES_IMPOSSIBLE, STORE_…
 */
export async function setInstances(ports: SetInstancesPorts, caller: Caller, id: string, instances: number): Promise<number> {
  const application = findApplication(ports.applications, id);
  mustModify(ports, caller, application, 'change instances', 'INSTANCES_REFUSED');
  // Before what it ran: of one that is over that is not kept.
  if (isCompletedState[application.state] || application.state === 'FINAL_SAVING' || application.state === 'KILLING')
    throw failure('RUN_IS_OVER', { id: application.id, state: publicState(application) });
  const job = jobOf(application.submission);
  if (job === undefined) throw failure('RUN_NOT_KNOWN', { id: application.id });
  const most = Math.min(mostInstances, roomOfMaster(ports.policy, application));
  if (!Number.isInteger(instances) || instances < 1 || instances > most) throw failure('INSTANCES_IMPOSSIBLE', { reason: bounds(most) });
  const now = () => application.wantedInstances ?? job.instances;
  if (await isSettledAt(ports, application, () => now() === instances)) return instances;
  if (isYoung(application)) throw failure('APPLICATION_TOO_YOUNG', { state: application.state, what: 'instances' });
  await ports.setInstances(application, { before: now(), after: instances });
  ports.audit.changed(caller, { operation: 'change instances', target: application.id, instances });
  return instances;
}

const bounds = (most: number): string =>
  most < mostInstances
    ? `this run may have 1 to ${most} instances: for more its master has too little memory, so submit it anew with as many`
    : `a run has 1 to ${most} instances; "heddle app kill" ends it`;

/** For how many instances the memory of the application's master is meant. */
function roomOfMaster(policy: SetInstancesPorts['policy'], { submission }: Application): number {
  const memoryMiB = Math.max(submission.resource[0] ?? 0, policy.minimumAllocation()[0] ?? 0);
  return commandMaster.mostInstancesOf(memoryMiB);
}
