// Containers that an earlier process of the resource manager gave and whose nodes have not registered with this one yet: they may run, be
// over, or never have begun. A node's registration says which; a node that stays away for as long as one that is silent may is lost with them (docs/protocol.md, P7 and P8).
import type { Clock } from '../../lib/clock.ts';
import type { Logger } from '../../lib/log.ts';
import type { Timers } from '../../lib/timers.ts';
import { type ExitStatus, exitStatus } from '../../model/exit-status.ts';
import type { ResourceTypes } from '../../model/resource.ts';
import type { ContainerReport } from '../../wire/cluster/container-messages.ts';
import { type Application, currentAttempt } from '../applications/application.ts';
import type { Attempt } from '../applications/attempt.ts';
import type { Container } from '../applications/container.ts';
import { lostNode } from '../applications/diagnostics.ts';
import type { ContainerSequels } from './container-sequels.ts';
import { countEnd } from './containers.ts';
import type { Effects } from './effects.ts';
import { endReport } from './end-report.ts';
import type { MasterSessions } from './master-sessions.ts';

/** A container of an earlier process. */
export interface ExpectedContainer {
  readonly application: Application;
  readonly container: Container;
}

/** Whether an attempt holds a container: it was given to it, or to one before it whose containers are kept. Masters are their attempt's alone. */
export const mayHold = ({ submission }: Application, attempt: Attempt, { attemptId, isMaster }: Container): boolean =>
  attemptId === attempt.id || (submission.keepContainers && !isMaster);

/** What is needed. */
export interface ExpectedContainerPorts {
  readonly effects: Pick<Effects, 'publish'>;
  readonly clock: Clock;
  readonly timers: Timers;
  readonly logger: Logger;
  /** How long a node may stay away, ms. */
  readonly nodeExpiryMs: number;
  readonly types: ResourceTypes;
  readonly sessions: Pick<MasterSessions, 'tellEnd'>;
  readonly masterEnded: ContainerSequels['masterEnded'];
}

/** Keeps what is expected, by node. */
export class ExpectedContainers {
  readonly #ports: ExpectedContainerPorts;
  readonly #nodes = new Map<string, Map<string, ExpectedContainer>>();
  readonly #nodeOf = new Map<string, string>();

  constructor(ports: ExpectedContainerPorts) {
    this.#ports = ports;
  }

  /** The node will tell of the container, or is lost with it. */
  expect(expected: ExpectedContainer): void {
    const { timers, nodeExpiryMs } = this.#ports;
    const { id, nodeId } = expected.container;
    const onNode = this.#nodes.get(nodeId);
    this.#nodeOf.set(id, nodeId);
    if (onNode) {
      onNode.set(id, expected);
      return;
    }
    this.#nodes.set(nodeId, new Map([[id, expected]]));
    timers.set(timerOf(nodeId), nodeExpiryMs, () => this.nodeLost(nodeId));
  }

  /** What is expected on a node that tells of itself now; it is expected no longer. */
  take(nodeId: string): ReadonlyMap<string, ExpectedContainer> {
    const onNode = this.#nodes.get(nodeId);
    if (!onNode) return nothing;
    this.#forgetNode(nodeId);
    for (const id of onNode.keys()) this.#nodeOf.delete(id);
    return onNode;
  }

  /** The node does not come back, or is not let in: what is expected on it is lost. */
  nodeLost(nodeId: string): void {
    const lost = this.take(nodeId);
    if (lost.size === 0) return;
    this.#ports.logger.warn({ nodeId, containers: lost.size }, 'a node did not come back; its containers count as lost');
    for (const expected of lost.values()) this.ended(expected);
  }

  /** One that was expected is over: as its node says, or lost with what its node knew of it. Its master (P6) and observers hear of it. */
  ended({ application, container }: ExpectedContainer, report?: ContainerReport): void {
    const { sessions, masterEnded, types, effects, clock } = this.#ports;
    const attempt = currentAttempt(application);
    if (!attempt) return;
    const { exitCode, diagnostics } = report ?? { exitCode: exitStatus.aborted, diagnostics: lostNode };
    const times = { createdMs: report?.createdTime ?? container.createdMs, finishedMs: report?.finishedTime ?? clock.now() };
    const over = { ...container, exitCode, diagnostics, ...times };
    countEnd(application, over);
    effects.publish({ about: 'containerFinished', application, container: over });
    if (container.isMaster) {
      // One of which no node knows, and that never registered, was never started: as far as anybody can know.
      if (attempt.masterContainerId === container.id)
        masterEnded(application, attempt, exitCode, diagnostics, report !== undefined || attempt.registered);
      return;
    }
    const end = endReport({ ...container, exitCode, diagnostics }, types);
    // Where its attempt failed with its master, of which the same node told, the next one does not hold it and hears nothing of it.
    const holderId = mayHold(application, attempt, container) ? attempt.id : container.attemptId;
    sessions.tellEnd(holderId, { ...end, ...report, askId: container.requestId, state: 'COMPLETE' });
  }

  /** One that was expected is over because it is not wanted any more, whatever its node will say. Undefined: it was not expected. */
  giveUp(containerId: string, exitCode: ExitStatus): Container | undefined {
    const expected = this.remove(containerId);
    if (!expected) return undefined;
    const { application, container } = expected;
    countEnd(application, { ...container, exitCode, finishedMs: this.#ports.clock.now() });
    return container;
  }

  /** Nothing is expected of the container any more; it is answered if it was. */
  remove(containerId: string): ExpectedContainer | undefined {
    const nodeId = this.#nodeOf.get(containerId);
    const onNode = nodeId === undefined ? undefined : this.#nodes.get(nodeId);
    const expected = onNode?.get(containerId);
    if (nodeId === undefined || !onNode || !expected) return undefined;
    this.#nodeOf.delete(containerId);
    onNode.delete(containerId);
    if (onNode.size === 0) this.#forgetNode(nodeId);
    return expected;
  }

  /** Nothing is expected any more of any container of the application; these are answered. */
  giveUpAll(application: Application, exitCode: ExitStatus): Container[] {
    return this.of(application).flatMap(({ container }) => this.giveUp(container.id, exitCode) ?? []);
  }

  /** What is expected of an application. */
  of(application: Application): ExpectedContainer[] {
    if (this.#nodes.size === 0) return [];
    const found: ExpectedContainer[] = [];
    for (const onNode of this.#nodes.values())
      for (const expected of onNode.values()) if (expected.application === application) found.push(expected);
    return found;
  }

  /** How many are expected. */
  get size(): number {
    return this.#nodeOf.size;
  }

  #forgetNode(nodeId: string): void {
    this.#nodes.delete(nodeId);
    this.#ports.timers.cancel(timerOf(nodeId));
  }
}

const nothing: ReadonlyMap<string, ExpectedContainer> = new Map();
const timerOf = (nodeId: string): string => `expected on ${nodeId}`;
