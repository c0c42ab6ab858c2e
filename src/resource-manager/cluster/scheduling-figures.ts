// What the scheduler did, for those who watch it.
import type { Clock } from '../../lib/clock.ts';
import { DurationFigure } from '../../lib/duration-figure.ts';
import { Histogram } from '../../lib/histogram.ts';
import { RecentDurations } from '../../lib/recent-durations.ts';

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
  /** What masters asked for and gave back, each time until it was taken. */
  readonly calls = new DurationFigure();
  /** Containers given, each until all of its change was made. */
  readonly commits = new DurationFigure();
  /** What nodes that registered said, each until it was taken. */
  readonly nodeMessages = new DurationFigure();
  /** Between two messages of a node. */
  readonly messageIntervals: RecentDurations;
  readonly #clock: Pick<Clock, 'steadyMs'>;

  constructor(clock: Pick<Clock, 'steadyMs'>) {
    this.#clock = clock;
    this.messageIntervals = new RecentDurations(clock);
  }

  /** Does something and counts how long it took. */
  timed<T>(figure: DurationFigure, run: () => T): T {
    const beganMs = this.#clock.steadyMs();
    const result = run();
    figure.add(this.#clock.steadyMs() - beganMs);
    return result;
  }
}
