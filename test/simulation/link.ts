// The channel between one node and the resource manager, as `lib/reliable-channel.ts` and `http/node-channel.ts` have it, in virtual time:
// within a session messages arrive exactly once and in order, whatever becomes of its connections; a session is given up as a whole.
import type { Timer } from '../../src/lib/clock.ts';
import type { Random } from '../../src/lib/random.ts';
import type { NodeSender } from '../../src/resource-manager/cluster/effects.ts';
import type { Node } from '../../src/resource-manager/nodes/node.ts';
import type { NodeCommand, NodeMessage } from '../../src/wire/cluster/node-channel.ts';
import type { Conditions } from './conditions.ts';
import type { ManagerProcess } from './manager.ts';
import type { VirtualClock } from './virtual-clock.ts';

/** The node's side. */
export interface NodeEnd {
  readonly rack: string;
  /** A session began: nothing sent before it will arrive any more. The node introduces itself. */
  began(): void;
  take(command: NodeCommand): void;
}

export interface LinkPorts {
  readonly clock: VirtualClock;
  readonly random: Random;
  readonly conditions: () => Conditions;
  /** The resource manager that runs now. */
  readonly manager: () => ManagerProcess | undefined;
  readonly node: NodeEnd;
  readonly trace: (what: () => string) => void;
}

interface Session {
  /** Later ones have greater numbers. */
  readonly number: number;
  readonly manager: ManagerProcess;
  readonly toManager: NodeMessage[];
  readonly toNode: NodeCommand[];
  readonly send: NodeSender;
  /** Once it registered. */
  node: Node | undefined;
  isHeld: boolean;
  /** By which the resource manager reaches it. */
  connection: Connection | undefined;
  expiry: Timer | undefined;
}

/** One socket. */
interface Connection {
  readonly session: Session;
  isOpen: boolean;
  nodeGone: boolean;
  managerGone: boolean;
  readonly flowing: { manager: boolean; node: boolean };
}

export class Link {
  readonly #ports: LinkPorts;
  #isOpen = false;
  /** The node's. */
  #session: Session | undefined;
  #connection: Connection | undefined;
  #connecting: Timer | undefined;
  #sessions = 0;
  #parted = 0;
  #partings = 0;

  constructor(ports: LinkPorts) {
    this.#ports = ports;
  }

  get isConnected(): boolean {
    return this.#connection !== undefined;
  }
  /** Whether messages come and go, and the node has registered. */
  get isUp(): boolean {
    const { connection, node } = this.#session ?? {};
    return this.#parted === 0 && node !== undefined && connection?.isOpen === true;
  }
  get isParted(): boolean {
    return this.#parted > 0;
  }
  // ---- the node

  /** Its process began. */
  open(): void {
    this.#isOpen = true;
    this.#connectIn(0);
  }

  /** Its process is gone; of what it said last only a part may arrive. */
  close(): void {
    this.#isOpen = false;
    this.#connecting?.cancel();
    const connection = this.#connection;
    this.#session = this.#connection = undefined;
    if (!connection) return;
    const { toManager } = connection.session;
    connection.nodeGone = true;
    toManager.length = this.#ports.random.int(toManager.length + 1);
    this.#flow(connection, 'manager');
    // Of what is lost on a parted network the other side finds out in time.
    if (this.isParted) this.#ports.clock.setTimer(this.#ports.conditions().noticeMs(), () => this.#brokenForManager(connection));
  }

  /** The node gives its session up (its outbox is full, say) and begins another. */
  giveUp(): void {
    const isOpen = this.#isOpen;
    this.close();
    if (isOpen) this.open();
  }

  /** Dropped before the first session. */
  send(message: NodeMessage): void {
    if (!this.#session) return;
    this.#session.toManager.push(message);
    if (this.#connection) this.#flow(this.#connection, 'manager');
  }

  // ---- the resource manager

  managerStarted(): void {
    if (this.#isOpen && !this.#connection) this.#connectIn(this.#ports.conditions().retryMs());
  }

  /** Of what it said last only a part may arrive. */
  managerDied(manager: ManagerProcess): void {
    const session = this.#session;
    if (session?.manager === manager) session.isHeld = false;
    const connection = this.#connection;
    if (connection?.session.manager !== manager) return;
    const { toNode } = connection.session;
    connection.managerGone = true;
    toNode.length = this.#ports.random.int(toNode.length + 1);
    this.#flow(connection, 'node');
  }

  // ---- the network

  /** Nothing comes through until `mend`; both sides find out in time. */
  part(): void {
    if (this.#parted++ > 0) return;
    this.#ports.trace(() => 'is parted');
    const parting = ++this.#partings;
    const connection = this.#connection;
    if (!connection) return;
    const { clock, conditions } = this.#ports;
    const lasts = () => (this.#parted > 0 && this.#partings === parting) || !connection.isOpen;
    clock.setTimer(conditions().noticeMs(), () => lasts() && this.#brokenForNode(connection));
    clock.setTimer(conditions().noticeMs(), () => lasts() && this.#brokenForManager(connection));
  }

  mend(): void {
    if (this.#parted === 0 || --this.#parted > 0) return;
    if (!this.#connection) return this.#isOpen ? this.#connectIn(this.#ports.conditions().retryMs()) : undefined;
    this.#flow(this.#connection, 'manager');
    this.#flow(this.#connection, 'node');
  }

  /** The connection breaks; the session goes on with the next. */
  breakConnection(): void {
    const connection = this.#connection;
    if (!connection) return;
    this.#brokenForNode(connection);
    this.#ports.clock.setTimer(this.#ports.conditions().latencyMs(), () => this.#brokenForManager(connection));
  }

  // ---- by the hand of a test, at once

  /** Whether the node is part of the cluster by this session. */
  get isReached(): boolean {
    const { manager, node, send } = this.#session ?? {};
    return node !== undefined && manager!.cluster.isReachedBy(node, send!);
  }

  /** The node begins a session and registers; what the former one had not delivered is lost. */
  introduce(): void {
    this.introduceLate()();
  }

  /** The node begins a session, and its registration arrives when the returned function says so. */
  introduceLate(): () => void {
    this.drop();
    this.#isOpen = true;
    this.#parted = 0;
    this.#connect();
    const session = this.#session;
    const registration = session?.toManager.shift();
    return () => session && this.#arriveAtManager(session, registration);
  }

  /** The session is over, and nobody hears of that. */
  drop(): void {
    this.#connecting?.cancel();
    if (this.#connection) this.#connection.isOpen = false;
    this.#session = this.#connection = undefined;
    this.#isOpen = false;
  }

  /** The connection is down, which both know; or up again. */
  setConnected(isUp: boolean): void {
    const connection = this.#connection;
    this.#parted = isUp ? 0 : 1;
    if (isUp) return this.#connect();
    if (!connection) return;
    this.#brokenForNode(connection);
    this.#brokenForManager(connection);
  }

  /** Up to `limit` of the messages that wait arrive. */
  deliver(to: 'manager' | 'node', limit: number): void {
    for (let i = 0; i < limit && this.#session && this.#connection; i++) {
      const session = this.#session;
      if (to === 'manager') this.#arriveAtManager(session, session.toManager.shift());
      else this.#arriveAtNode(session.toNode.shift());
    }
  }

  #connectIn(delayMs: number | undefined): void {
    this.#connecting?.cancel();
    if (delayMs === undefined) return;
    this.#connecting = this.#ports.clock.setTimer(delayMs, () => this.#connect());
  }

  #connect(): void {
    const manager = this.#ports.manager();
    // Both call again when they are there.
    if (!this.#isOpen || this.#connection || !manager || this.isParted) return;
    const known = this.#session?.manager === manager && this.#session.isHeld ? this.#session : undefined;
    const session = known ?? this.#newSession(manager);
    const connection = { session, isOpen: true, nodeGone: false, managerGone: false, flowing: { manager: false, node: false } };
    const former = session.connection;
    this.#ports.trace(() => `connects, ${known ? 'with its session' : 'anew'}`);
    this.#session = session;
    this.#connection = session.connection = connection;
    session.expiry?.cancel();
    if (!former) this.#tellConnection(session, true);
    if (!known) this.#ports.node.began();
    this.#flow(connection, 'manager');
    this.#flow(connection, 'node');
  }

  #newSession(manager: ManagerProcess): Session {
    const session: Session = {
      number: ++this.#sessions,
      manager,
      toManager: [],
      toNode: [],
      node: undefined,
      isHeld: true,
      connection: undefined,
      expiry: undefined,
      send: (command) => {
        if (!session.isHeld || !manager.isAlive) return;
        session.toNode.push(command);
        if (session.connection) this.#flow(session.connection, 'node');
      },
    };
    return session;
  }

  /** Lets what waits for one side go on its way, one message after the other. */
  #flow(connection: Connection, to: 'manager' | 'node'): void {
    const { session, flowing } = connection;
    const queue = to === 'manager' ? session.toManager : session.toNode;
    if (flowing[to] || !connection.isOpen) return;
    if (queue.length === 0) {
      // The last thing that arrives from a process that is gone is that it is gone.
      if (to === 'manager' && connection.nodeGone) this.#brokenForManager(connection);
      if (to === 'node' && connection.managerGone) this.#brokenForNode(connection);
      return;
    }
    flowing[to] = true;
    this.#ports.clock.setTimer(this.#ports.conditions().latencyMs(), () => {
      flowing[to] = false;
      // What is for a process that is gone waits for its next connection.
      if (this.isParted || !connection.isOpen || (to === 'node' && connection.nodeGone)) return;
      if (to === 'manager') this.#arriveAtManager(session, session.toManager.shift());
      else this.#arriveAtNode(session.toNode.shift());
      this.#flow(connection, to);
    });
  }

  #arriveAtNode(command: NodeCommand | undefined): void {
    if (!command) return;
    this.#ports.trace(() => `hears ${JSON.stringify(command)}`);
    this.#ports.node.take(command);
  }

  /** As `http/node-channel.ts` does it. */
  #arriveAtManager(session: Session, message: NodeMessage | undefined): void {
    const { manager, node, send } = session;
    if (!message || !manager.isAlive || !session.isHeld) return;
    const { cluster } = manager;
    this.#ports.trace(() => `says ${JSON.stringify(message)}`);
    if (message.type === 'register') session.node = cluster.registerNode(message, send, this.#ports.node.rack, session.number);
    else if (node && cluster.isReachedBy(node, send)) cluster.takeNodeMessage(node, message);
    else if (message.type !== 'shutdown') send({ type: 'resync' });
  }

  #brokenForNode(connection: Connection): void {
    this.#ports.trace(() => 'lost its connection');
    connection.isOpen = false;
    if (this.#connection !== connection) return;
    this.#connection = undefined;
    if (this.#isOpen) this.#connectIn(this.#ports.conditions().retryMs());
  }

  /** The session is kept for as long as a node may stay away. */
  #brokenForManager(connection: Connection): void {
    connection.isOpen = false;
    const { session } = connection;
    const { manager } = session;
    if (session.connection !== connection || !manager.isAlive || !session.isHeld) return;
    session.connection = undefined;
    this.#ports.trace(() => 'is seen to be gone');
    session.expiry = this.#ports.clock.setTimer(manager.cluster.settings.nodeExpiryMs, () => this.#ended(session));
    this.#tellConnection(session, false);
  }

  #ended(session: Session): void {
    if (!session.isHeld || !session.manager.isAlive) return;
    session.isHeld = false;
    const { manager, node, send } = session;
    if (node && manager.cluster.isReachedBy(node, send)) manager.cluster.nodeDisconnected(node);
  }

  #tellConnection({ manager, node, send }: Session, connected: boolean): void {
    if (node && manager.isAlive && manager.cluster.isReachedBy(node, send)) manager.cluster.nodeConnected(node, connected);
  }
}
