// What the door of Hadoop's masters keeps of each between its calls: what its messages leave to the resource manager to remember. It is lost with
// the process, after which masters register again and say everything anew.
import type { Encodable } from '../../wire/rpc/message.ts';
import type { AllocateResponseProto } from '../../wire/rpc/tables/master-service.ts';
import type { Application } from '../applications/application.ts';
import type { Attempt } from '../applications/attempt.ts';
import type { Container } from '../applications/container.ts';
import type { ClusterView } from '../cluster/cluster-view.ts';
import type { ClusterObserver } from '../cluster/observer.ts';
import type { AllocateAnswer } from '../commands/allocate.ts';
import { AskTable } from './master-asks.ts';
import type { Binding, SchedulingRequest, UpdateRequest } from './master-requests.ts';

/** What is kept of one registered master. */
export interface MasterState {
  readonly asks: AskTable;
  /** By request: scheduling requests as they were said, for the answer that rejects one, with what binds their containers. */
  readonly scheduling: Map<string, { readonly message: SchedulingRequest; readonly binding: Binding }>;
  /** By container and kind: the last change that was asked of it, for the answer that refuses it (`updateKey`). */
  readonly updates: Map<string, UpdateRequest>;
  /** By node: the key of the token that the master was given for it. */
  readonly nodeKeys: Map<string, number>;
  /** The last change of a node that it heard. */
  newsSeen: number;
  /** The key of its last token. */
  masterKeyId: number;
  /** Containers of which it was told that they may be taken back. */
  preemptions: ReadonlySet<string>;
  /** Answers as they were sent: the same answer again is the same bytes. */
  readonly sent: WeakMap<AllocateAnswer, Encodable<typeof AllocateResponseProto>>;
}

/** What a change of a container is kept by. */
export const updateKey = (containerId: string, updateType: string): string => `${containerId} ${updateType}`;

/** The registered masters. */
export class MasterStates implements ClusterObserver {
  readonly #view: Pick<ClusterView, 'node'>;
  /** By attempt. */
  readonly #states = new Map<string, MasterState>();

  constructor(view: Pick<ClusterView, 'node'>) {
    this.#view = view;
  }

  get(attemptId: string): MasterState | undefined {
    return this.#states.get(attemptId);
  }

  /** A master registered: it begins anew. */
  begin(attemptId: string, { newsSeen, masterKeyId }: Pick<MasterState, 'newsSeen' | 'masterKeyId'>): MasterState {
    const state: MasterState = {
      asks: new AskTable(),
      scheduling: new Map(),
      updates: new Map(),
      nodeKeys: new Map(),
      newsSeen,
      masterKeyId,
      preemptions: new Set(),
      sent: new WeakMap(),
    };
    this.#states.set(attemptId, state);
    return state;
  }

  containerCreated(_application: Application, { id, attemptId, nodeId, requestId, isMaster }: Container): void {
    const state = isMaster ? undefined : this.#states.get(attemptId);
    const node = state && this.#view.node(nodeId);
    if (node) state.asks.given(requestId, id, { nodeId, host: node.host, rack: node.rack });
  }

  attemptFinished(_application: Application, { id }: Attempt): void {
    this.#states.delete(id);
  }

  applicationFinished({ attempts }: Application): void {
    for (const { id } of attempts) this.#states.delete(id);
  }
}
