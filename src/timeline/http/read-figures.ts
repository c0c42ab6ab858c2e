// How many calls the timeline served and how long they took, as Hadoop's beans tell it: of version 1 TimelineDataManagerMetrics, of the reader of
// version 2 TimelineReaderMetrics, of its collector PerNodeAggTimelineCollectorMetrics.
import { hostname } from 'node:os';
import { type Bean, quantilesOf, rateOf } from '../../http/jmx.ts';
import type { Clock } from '../../lib/clock.ts';
import { DurationFigure } from '../../lib/duration-figure.ts';
import { RecentDurations } from '../../lib/recent-durations.ts';

/** The calls of version 1, in the order of the bean, and whether what they bring or find is counted too. */
const operations = {
  GetDomain: false,
  GetDomains: true,
  GetEntities: true,
  GetEntity: false,
  GetEvents: true,
  PostEntities: true,
  PutDomain: false,
} as const;

/** A call of version 1, by Hadoop's name. */
export type DataOperation = keyof typeof operations;

const names = Object.keys(operations) as DataOperation[];

/** Calls of version 1 since the start. */
export class DataFigures {
  readonly #clock: Pick<Clock, 'steadyMs'>;
  readonly #figures = new Map(names.map((name) => [name, { calls: 0, items: 0, times: new DurationFigure() }]));

  constructor(clock: Pick<Clock, 'steadyMs'>) {
    this.#clock = clock;
  }

  /** Serves a call. @throws what `serve` throws, which is counted as well */
  async counted<T>(operation: DataOperation, serve: () => T | Promise<T>): Promise<T> {
    const figures = this.#figures.get(operation)!;
    const beganMs = this.#clock.steadyMs();
    figures.calls++;
    try {
      return await serve();
    } finally {
      figures.times.add(this.#clock.steadyMs() - beganMs);
    }
  }

  /** A call brought or found so many. */
  add(operation: DataOperation, items: number): void {
    this.#figures.get(operation)!.items += items;
  }

  /** The same items, each counted as it is taken: once for those that follow each other with the same key. */
  *counting<T>(operation: DataOperation, items: Iterable<T | undefined>, keyOf?: (item: T) => string): Iterable<T | undefined> {
    let last: string | undefined;
    for (const item of items) {
      const key = item !== undefined && keyOf ? keyOf(item) : undefined;
      if (item !== undefined && (key === undefined || key !== last)) this.add(operation, 1);
      last = key ?? last;
      yield item;
    }
  }

  bean(): Bean {
    const all = [...this.#figures];
    const attributes = Object.fromEntries(
      all.flatMap(([name, { calls, items, times }]) => [
        [`${name}Ops`, calls],
        ...Object.entries(rateOf(`${name}Time`, times)),
        ...(operations[name] ? [[`${name}Total`, items]] : []),
      ]),
    );
    const total = all.reduce((sum, [, { calls }]) => sum + calls, 0);
    return {
      name: 'Hadoop:service=ApplicationHistoryServer,name=TimelineDataManagerMetrics',
      modelerType: 'TimelineDataManagerMetrics',
      attributes: { 'tag.Context': 'yarn', 'tag.Hostname': hostname(), ...attributes, TotalOps: total },
    };
  }
}

const outcomes = ['Failure', 'Success'] as const;

/** Calls of version 2 in the last ten seconds, by their kind. */
class LatencyFigures<Kind extends string> {
  readonly #clock: Pick<Clock, 'steadyMs'>;
  readonly #latencies: ReadonlyMap<string, RecentDurations>;

  constructor(clock: Pick<Clock, 'steadyMs'>, kinds: readonly Kind[]) {
    this.#clock = clock;
    const names = kinds.flatMap((kind) => outcomes.map((outcome) => `${kind}${outcome}Latency`));
    this.#latencies = new Map(names.map((name) => [name, new RecentDurations(clock)]));
  }

  /** Serves a call. @throws what `serve` throws: a failure */
  async counted<T>(kind: Kind, serve: () => T | Promise<T>): Promise<T> {
    const beganMs = this.#clock.steadyMs();
    let outcome: (typeof outcomes)[number] = 'Failure';
    try {
      const answer = await serve();
      outcome = 'Success';
      return answer;
    } finally {
      this.#latencies.get(`${kind}${outcome}Latency`)!.add(this.#clock.steadyMs() - beganMs);
    }
  }

  protected beanOf(service: string, name: string): Bean {
    const quantiles = [...this.#latencies].flatMap(([of, recent]) => Object.entries(quantilesOf(of, 'Latency', recent)));
    return {
      name: `Hadoop:service=${service},name=${name}`,
      modelerType: name,
      attributes: { 'tag.Context': 'timelineservice', 'tag.Hostname': hostname(), ...Object.fromEntries(quantiles) },
    };
  }
}

/** What the reader of version 2 is asked for. */
export type ReadKind = 'GetEntities' | 'GetEntityTypes';

/** Reads of version 2. */
export class ReaderFigures extends LatencyFigures<ReadKind> {
  constructor(clock: Pick<Clock, 'steadyMs'>) {
    super(clock, ['GetEntities', 'GetEntityTypes']);
  }

  bean(): Bean {
    return this.beanOf('TimelineService', 'TimelineReaderMetrics');
  }
}

/** Puts of entities of version 2: whose sender waits until they are there, or does not. */
export class CollectorFigures extends LatencyFigures<'AsyncPutEntities' | 'PutEntities'> {
  constructor(clock: Pick<Clock, 'steadyMs'>) {
    super(clock, ['AsyncPutEntities', 'PutEntities']);
  }

  bean(): Bean {
    return this.beanOf('TimelineCollector', 'PerNodeAggTimelineCollectorMetrics');
  }
}
