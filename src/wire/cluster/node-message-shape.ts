// What a message of a node must look like before the cluster hears of it. Nodes prove themselves by the cluster's secret, but may be of
// another version or broken.
import { fields, type JsonShape, many, mapOf, number, optional, text, truth, whole } from '../../lib/json-shape.ts';
import type { NodeMessage } from './node-channel.ts';

const name = text({ maxLength: 4096 });
const sentence = text();
const amounts = mapOf(number());
// Only what the cluster cannot do without: a report that is dropped would leave a container running forever.
const report = fields({
  containerId: name,
  askId: optional(name),
  state: name,
  exitCode: number(),
  diagnostics: sentence,
  resource: amounts,
  allocationTags: optional(many(name)),
});
const health = { healthy: truth(), report: sentence, time: number() };
const descriptors = { labels: optional(many(name)), attributes: optional(many(fields({ name, type: name, value: name }))) };
const usage = fields({ physicalMemoryMiB: number(), virtualMemoryMiB: number(), cpuCores: number() });

const opportunistic = fields({ running: number(), memoryMiB: number(), vcores: number(), queued: number(), waiting: number() });

const shapes: Readonly<Record<NodeMessage['type'], JsonShape<unknown>>> = {
  register: fields({
    nodeId: name,
    httpAddress: name,
    rack: name,
    resource: amounts,
    version: name,
    ...descriptors,
    physicalMemoryMiB: number(),
    physicalCores: number(),
    opportunisticQueueLength: optional(whole({ minimum: 0 })),
    containers: many(report),
    applications: many(name),
    health: fields(health),
  }),
  containers: fields({ reports: many(report) }),
  usage: fields({ node: usage, containers: usage, runningContainers: whole({ minimum: 0 }), opportunistic: optional(opportunistic) }),
  health: fields(health),
  descriptors: fields(descriptors),
  logAggregation: fields({ applicationId: name, status: name, diagnostics: sentence }),
  signalled: fields({ containerId: name, command: name, success: truth() }),
  shutdown: fields({}),
};

/** The shape of messages of a type; undefined for types nobody knows. */
export const nodeMessageShape = (type: unknown): JsonShape<unknown> | undefined =>
  typeof type === 'string' && Object.hasOwn(shapes, type) ? shapes[type as NodeMessage['type']] : undefined;
