// Containers of masters as text and back: what of one must be known before its node tells of it again.
import { fields, type JsonOf, many, number, optional, text, whole, word } from '../../lib/json-shape.ts';
import { exitStatus } from '../../model/exit-status.ts';
import type { Container } from '../applications/container.ts';
import { storedJson } from './stored-json.ts';

const name = text();

export const containerDocument = fields({
  id: name,
  applicationId: name,
  attemptId: name,
  nodeId: name,
  nodeHttpAddress: name,
  /** Absent in texts of earlier versions, and where the node did not say it. */
  nodeMemory: optional(name),
  /** By the order of the types. */
  resource: many(number()),
  priority: number(),
  requestId: name,
  allocationRequestId: number(),
  allocationTags: many(name),
  executionType: word('GUARANTEED', 'OPPORTUNISTIC'),
  /** Absent in texts of earlier versions, and where nothing was changed. */
  version: optional(whole({ minimum: 0 })),
  /** ms since the epoch. */
  createdMs: number(),
});

/** The text of a container. */
export function containerToText(container: Container): string {
  const { id, applicationId, attemptId, nodeId, nodeHttpAddress, nodeMemory, resource, priority, requestId } = container;
  const { allocationRequestId, allocationTags, executionType, version, createdMs } = container;
  return JSON.stringify({
    id,
    applicationId,
    attemptId,
    nodeId,
    nodeHttpAddress,
    ...(nodeMemory === undefined ? {} : { nodeMemory }),
    resource: [...resource],
    priority,
    requestId,
    allocationRequestId,
    allocationTags: [...allocationTags],
    executionType,
    ...(version > 0 ? { version } : {}),
    createdMs,
  } satisfies JsonOf<typeof containerDocument>);
}

/** The container of a text, not known to its node yet. @throws Error where the text is not one of a container */
export function containerFromText(written: string): Container {
  const stored = storedJson(containerDocument, written, 'a container');
  return {
    ...stored,
    version: stored.version ?? 0,
    isMaster: false,
    state: 'NEW',
    kept: true,
    counted: false,
    told: false,
    givenMs: 0,
    startedMs: 0,
    finishedMs: 0,
    exitCode: exitStatus.invalid,
    diagnostics: '',
  };
}
