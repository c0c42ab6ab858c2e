// How much of the cluster was given, asked for and there over the last hour and day: looked at every ten seconds, kept in memory, bounded.
import type { Clock } from '../../lib/clock.ts';
import type { Logger } from '../../lib/log.ts';
import { type Repetition, repeat } from '../../lib/repeat.ts';

/** One look at the cluster, nodes with labels included. Memory in MiB. */
export interface UsageSample {
  readonly timeMs: number;
  readonly totalMemoryMiB: number;
  readonly usedMemoryMiB: number;
  readonly pendingMemoryMiB: number;
  readonly totalVcores: number;
  readonly usedVcores: number;
  readonly pendingVcores: number;
  readonly runningApplications: number;
  readonly waitingApplications: number;
  readonly containers: number;
  /** Asked for. */
  readonly pendingContainers: number;
  /** What the machines of the nodes really use, whatever for. */
  readonly machineMemoryMiB: number;
  readonly machineCores: number;
}

/** How far back is looked: an hour in steps of ten seconds, or a day in steps of two minutes. */
export const usageSpans = { hour: { stepMs: 10_000, samples: 360 }, day: { stepMs: 120_000, samples: 720 } } as const;
export type UsageSpan = keyof typeof usageSpans;

/** The last samples, oldest first. */
class Ring {
  readonly #samples: UsageSample[] = [];
  readonly #most: number;
  #begin = 0;

  constructor(most: number) {
    this.#most = most;
  }

  add(sample: UsageSample): void {
    if (this.#samples.length < this.#most) this.#samples.push(sample);
    else {
      this.#samples[this.#begin] = sample;
      this.#begin = (this.#begin + 1) % this.#most;
    }
  }

  get all(): readonly UsageSample[] {
    return [...this.#samples.slice(this.#begin), ...this.#samples.slice(0, this.#begin)];
  }
}

/** The history of one resource manager; looks at the cluster from its making until it is closed. */
export class UsageHistory {
  readonly #rings: Readonly<Record<UsageSpan, Ring>> = {
    hour: new Ring(usageSpans.hour.samples),
    day: new Ring(usageSpans.day.samples),
  };
  readonly #look: () => Omit<UsageSample, 'timeMs'>;
  readonly #clock: Clock;
  #looking: Repetition | undefined;
  #looks = 0;

  constructor(look: () => Omit<UsageSample, 'timeMs'>, clock: Clock) {
    this.#look = look;
    this.#clock = clock;
  }

  /** Looks now, and from now on. */
  begin(logger: Logger): void {
    this.#looking = repeat({
      clock: this.#clock,
      intervalMs: usageSpans.hour.stepMs,
      firstMs: 0,
      run: () => this.#add(this.now()),
      failed: (error) => logger.error({ err: error }, 'what is in use could not be looked at'),
    });
  }

  async close(): Promise<void> {
    await this.#looking?.close();
  }

  #add(sample: UsageSample): void {
    this.#rings.hour.add(sample);
    if (this.#looks++ % (usageSpans.day.stepMs / usageSpans.hour.stepMs) === 0) this.#rings.day.add(sample);
  }

  /** The cluster at this moment. */
  now(): UsageSample {
    return { timeMs: this.#clock.now(), ...this.#look() };
  }

  /** What is kept of a span, oldest first. */
  of(span: UsageSpan): readonly UsageSample[] {
    return this.#rings[span].all;
  }
}
