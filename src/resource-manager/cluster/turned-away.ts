// Nodes that are there and no part of the cluster: told so once, they ask again after pauses that grow (docs/protocol.md, P16). When they are
// wanted again they are told at once.
import { BoundedMap } from '../../lib/bounded-map.ts';
import { parseNodeId } from '../../model/ids.ts';
import type { Effects, NodeSender } from './effects.ts';

/** Nodes that are remembered; others come by themselves. */
const mostRemembered = 10_000;

/** What is needed. */
export interface TurnedAwayPorts {
  readonly effects: Pick<Effects, 'sendBy'>;
  /** Whether a node may be part of the cluster now. */
  readonly admits: (host: string, nodeId: string) => boolean;
}

/** The nodes that were refused or sent away, with the channels by which they were told. */
export class TurnedAway {
  readonly #ports: TurnedAwayPorts;
  readonly #senders = new BoundedMap<string, NodeSender>(mostRemembered);

  constructor(ports: TurnedAwayPorts) {
    this.#ports = ports;
  }

  /** The node was told that it is no part of the cluster. */
  told(nodeId: string, sender: NodeSender): void {
    this.#senders.set(nodeId, sender);
  }

  /** The node is part of the cluster, or gone. */
  forget(nodeId: string): void {
    this.#senders.delete(nodeId);
  }

  /** Lists have changed: nodes that are wanted again are asked to register, once. */
  callBack(): void {
    const { effects, admits } = this.#ports;
    for (const [nodeId, sender] of [...this.#senders]) {
      if (!admits(parseNodeId(nodeId).host, nodeId)) continue;
      this.#senders.delete(nodeId);
      effects.sendBy(sender, nodeId, { type: 'resync' });
    }
  }
}
