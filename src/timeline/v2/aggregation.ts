// What metrics of an application's entities amount to for the application as a whole, told again and again while it runs
// (AppLevelTimelineCollectorWithAgg, TimelineCollector.AggregationStatusTable): what came since the last time counts, of each entity the newest.
import { isRaw } from '../../wire/timeline/exact-json.ts';
import type { EntityV2, MetricV2 } from '../../wire/timeline/v2-entity.ts';
import type { ApplicationContext } from '../store/flow-store.ts';
import { applicationScope, applicationType } from './scopes.ts';

/** A value and when it was measured, ms since the epoch. */
interface Point {
  readonly timestampMs: number;
  readonly value: number;
}

/** How values of several entities become one (TimelineMetricOperation). AVG can be said, but Hadoop cannot do it either. */
const operations: Readonly<Record<string, (sum: Point, next: Point) => number>> = {
  SUM: (sum, next) => sum.value + next.value,
  MAX: (sum, next) => Math.max(sum.value, next.value),
  REPLACE: (sum, next) => (next.timestampMs >= sum.timestampMs ? next.value : sum.value),
};

/** What is known of one metric of one type of entities: of each entity the newest point. */
interface Row {
  /** The first operation that was said. */
  readonly combine: (sum: Point, next: Point) => number;
  readonly newest: Map<string, Point>;
}

interface Gathered {
  readonly context: ApplicationContext;
  /** Type of entities → id of the metric → what is known. */
  readonly types: Map<string, Map<string, Row>>;
}

/** Metrics of an application, to be kept with it. */
export interface ApplicationMetrics {
  readonly context: ApplicationContext;
  readonly metrics: readonly MetricV2[];
}

/** The newest point of a metric; undefined where it has none that is a number. */
function newestOf({ values }: MetricV2): Point | undefined {
  let newest: Point | undefined;
  for (const [time, written] of Object.entries(values ?? {})) {
    const timestampMs = Number(time);
    const value = isRaw(written) ? Number(written.rawJSON) : written;
    if (typeof value !== 'number' || !Number.isFinite(value) || !Number.isSafeInteger(timestampMs)) continue;
    if (!newest || timestampMs > newest.timestampMs) newest = { timestampMs, value };
  }
  return newest;
}

/** Gathers metrics of entities between two tellings. */
export class MetricAggregation {
  readonly #maximumPoints: number;
  readonly #applications = new Map<string, Gathered>();
  #points = 0;
  #leftOut = 0;

  /** `maximumPoints`: most points that are held between two tellings; what comes beyond is left out. */
  constructor(maximumPoints: number) {
    this.#maximumPoints = maximumPoints;
  }

  /** Points left out since the last telling, because too many were held. */
  get leftOut(): number {
    return this.#leftOut;
  }

  /** An entity of an application was put. What the application itself says of its metrics is left alone. */
  add(context: ApplicationContext, { type, id, metrics }: EntityV2): void {
    if (type === applicationType) return;
    for (const metric of metrics ?? []) {
      const combine = operations[metric.aggregationOp ?? 'NOP'];
      const point = combine && newestOf(metric);
      if (!point) continue;
      const row = this.#row(context, type, metric.id, combine);
      const before = row.newest.get(id);
      if (before && before.timestampMs > point.timestampMs) continue;
      if (!before && this.#points >= this.#maximumPoints) {
        this.#leftOut += 1;
        continue;
      }
      if (!before) this.#points += 1;
      row.newest.set(id, point);
    }
  }

  #row(context: ApplicationContext, type: string, metric: string, combine: Row['combine']): Row {
    const gathered = made(this.#applications, applicationScope(context), () => ({ context, types: new Map() }));
    const rows = made(gathered.types, type, () => new Map<string, Row>());
    return made(rows, metric, () => ({ combine, newest: new Map() }));
  }

  /** What was gathered since the last call, application by application; a metric that several types have is that of the type that came last. */
  take(): ApplicationMetrics[] {
    const told = [...this.#applications.values()].map(({ context, types }) => {
      const metrics = new Map<string, MetricV2>();
      for (const rows of types.values()) {
        for (const [id, { combine, newest }] of rows) {
          const sum = combined(newest.values(), combine);
          if (sum) metrics.set(id, { id, type: 'SINGLE_VALUE', values: { [sum.timestampMs]: sum.value } });
        }
      }
      return { context, metrics: [...metrics.values()] };
    });
    this.#applications.clear();
    [this.#points, this.#leftOut] = [0, 0];
    return told.filter(({ metrics }) => metrics.length > 0);
  }
}

function combined(points: Iterable<Point>, combine: Row['combine']): Point | undefined {
  let sum: Point | undefined;
  for (const next of points) {
    sum = sum ? { timestampMs: Math.max(sum.timestampMs, next.timestampMs), value: combine(sum, next) } : next;
  }
  return sum;
}

function made<Value>(map: Map<string, Value>, key: string, make: () => Value): Value {
  const known = map.get(key);
  if (known !== undefined) return known;
  const value = make();
  map.set(key, value);
  return value;
}
