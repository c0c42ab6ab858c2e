// Puts in portions: so much is stored at once that others need not wait long for it.
import type { JsonValue } from '../../wire/timeline/entity.ts';
import type { EntityV2, MetricV2 } from '../../wire/timeline/v2-entity.ts';

/** So many parts of entities are stored at once; others are served before the next. */
const partsAtOnce = 4000;

const countOf = (record: object | undefined): number => (record ? Object.keys(record).length : 0);
const partsOf = ({ info, configs, metrics = [], events = [] }: EntityV2): number =>
  1 + countOf(info) + countOf(configs) + events.length + metrics.reduce((sum, { values }) => sum + countOf(values), 0);

/** Entities in their order, as many at a time as are stored without a pause; one with many parts as several, which amount to the same. */
export function portionsOf(entities: readonly EntityV2[]): EntityV2[][] {
  const portions: EntityV2[][] = [];
  let parts = partsAtOnce;
  for (const entity of entities)
    for (const slice of slicesOf(entity)) {
      if (parts >= partsAtOnce) {
        portions.push([]);
        parts = 0;
      }
      portions.at(-1)!.push(slice);
      parts += partsOf(slice);
    }
  return portions;
}

function slicesOf(entity: EntityV2): EntityV2[] {
  if (partsOf(entity) <= partsAtOnce) return [entity];
  const { info, configs, metrics = [], events = [], relatesto, isrelatedto, ...rest } = entity;
  const each = partsAtOnce / 4;
  const infos = Object.entries(info ?? {});
  const settings = Object.entries(configs ?? {});
  const points = metrics.flatMap((metric) => Object.entries(metric.values ?? {}).map((point) => [metric, point] as const));
  const slices: EntityV2[] = [];
  for (let at = 0; at < Math.max(infos.length, settings.length, points.length, events.length); at += each)
    slices.push({
      ...rest,
      info: Object.fromEntries(infos.slice(at, at + each)),
      configs: Object.fromEntries(settings.slice(at, at + each)),
      metrics: metricsOf(points.slice(at, at + each)),
      events: events.slice(at, at + each),
      ...(at === 0 && relatesto ? { relatesto } : {}),
      ...(at === 0 && isrelatedto ? { isrelatedto } : {}),
    });
  return slices;
}

/** Metrics of points that stand one after the other. */
function metricsOf(points: readonly (readonly [MetricV2, readonly [string, JsonValue]])[]): MetricV2[] {
  const values = new Map<MetricV2, (readonly [string, JsonValue])[]>();
  for (const [metric, point] of points) {
    const own = values.get(metric);
    if (own) own.push(point);
    else values.set(metric, [point]);
  }
  return [...values].map(([metric, own]) => ({ ...metric, values: Object.fromEntries(own) }));
}
