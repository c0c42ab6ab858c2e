// What follows when a container is of another size or type: it is durable before its node and its master hear of it, so that a restart takes
// back nothing that a master was told (docs/protocol.md, P1). Its version grows with each change: a master names the one that it knows.
import { Tally } from '../../lib/tally.ts';
import type { NodeResource } from '../../wire/cluster/container-messages.ts';
import type { Application } from '../applications/application.ts';
import type { Container, ExecutionType } from '../applications/container.ts';
import { isEndedContainer } from '../applications/container-states.ts';
import type { Effects } from './effects.ts';
import type { ContainerChange, ContainerUpdateType, MasterSessions } from './master-sessions.ts';

/** What its node is told: the members that changed. */
type Change = { readonly resource: NodeResource } | { readonly executionType: ExecutionType };

/** What is needed. */
export interface ContainerChangePorts {
  readonly effects: Pick<Effects, 'persist' | 'send'>;
  readonly sessions: Pick<MasterSessions, 'updated'>;
}

/** Carries changes of containers to everybody whom they concern. */
export class ContainerChanges {
  readonly #ports: ContainerChangePorts;
  /** Changes of each that are not durable yet. */
  readonly #open = new Tally<Container>();

  constructor(ports: ContainerChangePorts) {
    this.#ports = ports;
  }

  /** The container, which has changed, is kept as it is now; then its node and the attempt's master hear of it. */
  changed(application: Application, attemptId: string, container: Container, updateType: ContainerUpdateType, change: Change): void {
    const { effects } = this.#ports;
    container.version++;
    this.#open.add(container);
    const settled = (isStored: boolean): void => {
      this.#open.remove(container);
      if (isStored && !isEndedContainer(container.state))
        this.#tell(attemptId, { container, updateType }, change, !this.#open.has(container));
    };
    effects.persist(
      { kind: 'containerChanged', container, application },
      {
        stored: () => settled(true),
        failed: () => {
          if (!isEndedContainer(container.state)) return 'again';
          settled(false);
          return 'given up';
        },
      },
    );
  }

  /** What the container is was asked for anew: its master hears that it is so, once that is durable. */
  same(attemptId: string, container: Container, updateType: ContainerUpdateType): void {
    if (!this.#open.has(container)) this.#ports.sessions.updated(attemptId, { container, updateType });
  }

  /** An answer says what the container is when it leaves: it waits for the last change. */
  #tell(attemptId: string, changed: ContainerChange, change: Change, isLast: boolean): void {
    const { effects, sessions } = this.#ports;
    const { container } = changed;
    const { id: containerId, version } = container;
    effects.send(container.nodeId, { type: 'updateContainers', containers: [{ containerId, version, ...change }] });
    if (isLast) sessions.updated(attemptId, changed);
  }
}
