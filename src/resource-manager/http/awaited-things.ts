// `/api/v1/nodes/{id}`, `/api/v1/containers/{id}`, `/api/v1/queues/{path}`: one thing in brief, at once, when it has changed, or when it is over.
import type { Answer } from '../../http/answers.ts';
import { awaitedAnswer } from '../../http/awaited-answer.ts';
import type { Call, Route } from '../../http/service.ts';
import { Changes } from '../../lib/changes.ts';
import { failure } from '../../model/errors.ts';
import type { PlainContainer, PlainNode } from '../../wire/cluster/own-answers.ts';
import type { Application } from '../applications/application.ts';
import type { Container } from '../applications/container.ts';
import type { ClusterObserver } from '../cluster/observer.ts';
import { findNode } from '../commands/update-node.ts';
import type { Node } from '../nodes/node.ts';
import { isInactiveNode } from '../nodes/node-states.ts';
import { containerIdOf, findViewable } from '../views/application-lookup.ts';
import { containerLife, endedContainers } from '../views/container-life.ts';
import { waitingAgeMs } from '../views/fragments.ts';
import type { Parts } from '../views/parts.ts';
import { QueueLooks } from '../views/queue-looks.ts';
import { applicationOf } from './container-logs.ts';

/** What nobody tells of (a connection, a size, what is asked for, queues that are set anew) is looked for so often by each who waits, ms. */
const lookEveryMs = 1000;

/** Who waits for what, by its name. */
interface Waiting {
  readonly nodes: Changes;
  readonly containers: Changes;
  /** By path: a queue changes with those below it. */
  readonly queues: Changes;
}

/** Tells of what observers hear. */
function telling({ nodes, containers, queues }: Waiting): ClusterObserver {
  const ofQueue = ({ queue }: Application): void => {
    for (let end = queue.length; end > 0; end = queue.lastIndexOf('.', end - 1)) queues.tell(queue.slice(0, end));
  };
  const ofContainer = (application: Application, { id, nodeId }: Container): void => {
    containers.tell(id);
    nodes.tell(nodeId);
    ofQueue(application);
  };
  return {
    applicationAdmitted: ofQueue,
    applicationStateChanged: ofQueue,
    applicationUpdated: ofQueue,
    applicationFinished: ofQueue,
    containerCreated: ofContainer,
    containerFinished: ofContainer,
    nodeStateChanged: ({ id }) => nodes.tell(id),
  };
}

function plainNode({ policy, labels }: Parts, node: Node): PlainNode {
  const usage = isInactiveNode[node.state] ? undefined : policy.nodeUsage(node.id);
  const { id, rack, httpAddress, state, connected, healthReport, version } = node;
  const label = labels.labelOf(id);
  return {
    ...{ id, rack, httpAddress, state, connected, healthReport, version },
    labels: label === '' ? [] : [label],
    containers: node.containers.size,
    usedMemoryMiB: usage?.used[0] ?? 0,
    usedVcores: usage?.used[1] ?? 0,
    availableMemoryMiB: usage?.available[0] ?? 0,
    availableVcores: usage?.available[1] ?? 0,
  };
}

/** The container that an id names, which the caller may view. @throws Failure ID_MALFORMED, APPLICATION_NOT_FOUND, APPLICATION_VIEW_REFUSED, CONTAINER_NOT_FOUND */
function findContainer(parts: Parts, text: string, user: string | undefined): PlainContainer {
  const application = findViewable(parts, applicationOf(text), user);
  const id = containerIdOf(text);
  const live = parts.cluster.view.container(id);
  const found = live ? containerLife(application, live) : endedContainers(parts.events, application.id).find((ended) => ended.id === id);
  if (!found) throw failure('CONTAINER_NOT_FOUND', { id });
  return { ...found, applicationId: application.id };
}

/** The path of the queue that a name means. @throws Failure QUEUE_NOT_FOUND, QUEUE_AMBIGUOUS */
function queueNamed({ policy }: Parts, name: string): string {
  const found = policy.resolveQueue(name);
  if (typeof found === 'object') return found.queue;
  throw failure(found === 'ambiguous' ? 'QUEUE_AMBIGUOUS' : 'QUEUE_NOT_FOUND', { queue: name });
}

/** The routes of this file. */
export function awaitedThingRoutes(parts: Parts): Route<never>[] {
  const { clock, cluster } = parts;
  const waiting: Waiting = { nodes: new Changes(), containers: new Changes(), queues: new Changes() };
  const looks = new QueueLooks({ policy: parts.policy, changes: () => cluster.view.changes, clock, longestMs: waitingAgeMs });
  cluster.observe(telling(waiting));

  const oneNode = (call: Call): Promise<Answer> => {
    const find = () => findNode({ find: (id) => cluster.view.node(id) }, call.params['nodeId'] ?? '');
    const read = () => {
      const node = find();
      return { isOver: isInactiveNode[node.state], value: () => plainNode(parts, node) };
    };
    return awaitedAnswer(call, { name: find().id, changes: waiting.nodes, clock, read, lookEveryMs });
  };
  const oneContainer = (call: Call): Promise<Answer> => {
    const text = call.params['containerid'] ?? '';
    const read = () => {
      const container = findContainer(parts, text, call.user);
      return { isOver: container.finishedTime > 0, value: () => container };
    };
    return awaitedAnswer(call, { name: containerIdOf(text), changes: waiting.containers, clock, read, lookEveryMs });
  };
  const oneQueue = (call: Call): Promise<Answer> => {
    const name = call.params['queue'] ?? '';
    const read = () => {
      const queue = looks.of(queueNamed(parts, name));
      if (!queue) throw failure('QUEUE_NOT_FOUND', { queue: name });
      return { isOver: queue.state === 'STOPPED', value: () => queue };
    };
    const rest = () => looks.rest();
    return awaitedAnswer(call, { name: queueNamed(parts, name), changes: waiting.queues, clock, read, lookEveryMs, rest });
  };
  const read = { method: 'GET', produces: ['json'] } as const;
  return [
    {
      ...read,
      path: '/api/v1/nodes/:nodeId',
      about: 'One node in brief; waits for a change, or for its leaving, where asked.',
      access: 'facts',
      handle: oneNode,
    },
    {
      ...read,
      path: '/api/v1/containers/:containerid',
      about: 'One container, for an hour after its end, too; waits for a change, or for its end, where asked.',
      access: 'view',
      handle: oneContainer,
    },
    {
      ...read,
      path: '/api/v1/queues/:queue',
      about: 'One queue in brief, with those below it; waits for a change, or until it is stopped and empty, where asked.',
      access: 'facts',
      handle: oneQueue,
    },
  ];
}
