// Timeline v2 in XML: the reader of Hadoop promises it and fails; the names are those of its JSON.
import { any, list, long, map, object, record, rooted, text } from '../codec/describe.ts';

const plain = { json: 'plain', wrapped: false } as const;
const common = {
  metrics: list(object({ type: text(), id: text(), aggregationOp: text(), values: map(any()) })),
  events: list(object({ id: text(), timestamp: long(), info: map(any()) })),
  createdtime: long(),
  idprefix: any(),
};
const identity = {
  id: text(),
  type: text(),
  info: map(any()),
  configs: map(text()),
  isrelatedto: map(list(text())),
  relatesto: map(list(text())),
};

/** One entity; of a flow with its runs. */
export const entityV2 = rooted('entity', object({ ...common, flowruns: list(object({ ...common, ...identity })), ...identity }), plain);
/** Types of entities. */
export const entityTypes = record('types', { type: list(text()) }, plain);
/** Whether the storage answers. */
export const readerHealth = record('health', { healthStatus: text(), diagnosticsInfo: text() }, plain);
