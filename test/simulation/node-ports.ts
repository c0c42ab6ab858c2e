// What a simulated node is given, and how it tells what happens on it.
import type { Random } from '../../src/lib/random.ts';
import type { Conditions } from './conditions.ts';
import type { Moment } from './crash-points.ts';
import type { ManagerProcess } from './manager.ts';
import type { SimulatedContainer } from './simulated-container.ts';
import type { VirtualClock } from './virtual-clock.ts';

/** How long things take on a node; undefined: until the test's hand does them. */
export interface NodeHabits {
  readonly startMs: () => number | undefined;
  readonly runMs: (container: SimulatedContainer) => { readonly ms: number; readonly exitCode: number } | undefined;
  readonly stopMs: () => number;
  /** How many ended containers of an application it lists. */
  readonly mostEnded: number;
}

/** Nothing happens by itself but the start of masters. */
export const byHand: NodeHabits = { startMs: () => undefined, runMs: () => undefined, stopMs: () => 0, mostEnded: 1000 };

export interface NodePorts {
  readonly clock: VirtualClock;
  readonly random: Random;
  readonly conditions: () => Conditions;
  readonly manager: () => ManagerProcess | undefined;
  readonly habits: NodeHabits;
  /** The node manager comes to a point at which it may die; true: it dies there. */
  readonly reached: (effect: string, moment: Moment) => boolean;
  /** It died, right now. */
  readonly died: () => void;
  readonly trace: (what: () => string) => void;
  /** Processes of a container begin. */
  readonly launched: (container: SimulatedContainer) => void;
  /** They are gone. */
  readonly gone: (container: SimulatedContainer) => void;
}
