// What the scheduler did, for those who watch it.
import { Histogram } from '../../lib/histogram.ts';

/** Counted since the resource manager started. */
export class SchedulingFigures {
  readonly slices = new Histogram(
    'heddle_scheduler_slice_seconds',
    'How long the scheduler decides and commits at a time, before anything else has its turn.',
    [0.0001, 0.0005, 0.001, 0.0025, 0.005, 0.025, 0.1, 0.5],
  );
  /** Containers given. */
  placements = 0;
  /** Containers taken back for others. */
  preemptions = 0;
}
