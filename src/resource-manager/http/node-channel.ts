// The resource manager's end of the node channel: upgrades on its path, one session a node.

import type { X509Certificate } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { isIP } from 'node:net';
import type { AuditLog } from '../../auth/audit-log.ts';
import type { ProvenConnections } from '../../http/proven-connections.ts';
import type { Service } from '../../http/service.ts';
import { onceAMinute } from '../../http/unproven-connections.ts';
import type { ChannelFigures } from '../../lib/channel-figures.ts';
import type { Clock } from '../../lib/clock.ts';
import { checked, isObject } from '../../lib/json-shape.ts';
import type { Logger } from '../../lib/log.ts';
import type { Random } from '../../lib/random.ts';
import { acceptChannels } from '../../lib/reliable-channel.ts';
import { failure } from '../../model/errors.ts';
import { hostOfNodeId } from '../../model/ids.ts';
import { type NodeCommand, type NodeMessage, nodeChannelPath, nodeMessage } from '../../wire/cluster/node-channel.ts';
import type { Cluster } from '../cluster.ts';
import type { Node } from '../nodes/node.ts';
import type { Racks } from '../nodes/racks.ts';

/** What the channel needs. */
export interface NodeChannelOptions {
  readonly cluster: Cluster;
  readonly service: Pick<Service, 'upgrade'>;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
  /** Knows on which connections nodes have proven themselves. */
  readonly proven: Pick<ProvenConnections, 'certificateOf'>;
  /** Whether a request is one of a node of the cluster. */
  readonly isNode: (request: IncomingMessage) => boolean;
  /** Has nodes that were refused for their certificate. */
  readonly audit: Pick<AuditLog, 'refusedRequest'>;
  /** Nodes have to show a certificate for the host of their id. */
  readonly asksCertificates?: boolean;
  readonly racks: Racks;
  /** Counts what is carried. */
  readonly figures?: ChannelFigures;
}

/**
 * Accepts nodes on the server's upgrades until closed.
 *
 * What a node that is not part of the cluster says is answered at most once between two of its registrations: with `resync` when it has to
 * register again, and not at all after it was refused. So no message sets off an exchange that goes on by itself, whatever the node does
 * (docs/protocol.md, P16).
 */
export function acceptNodes(options: NodeChannelOptions): { close(): void } {
  const { cluster, service, logger } = options;
  let begun = 0;
  const auditStranger = (request: IncomingMessage, auditedReason: string): void =>
    options.audit.refusedRequest({
      method: 'register',
      path: nodeChannelPath,
      caller: undefined,
      remoteAddress: request.socket.remoteAddress ?? '',
      failure: failure('CERTIFICATE_REFUSED', { auditedReason }),
    });
  const acceptor = acceptChannels<NodeCommand>({
    ...options,
    retentionMs: cluster.settings.nodeExpiryMs,
    onSession(channel, request) {
      const session = ++begun;
      let node: Node | undefined;
      /** It was told to register again, or that it is not wanted: nothing more is said before it registers. */
      let answered = false;
      const send = (command: NodeCommand) => {
        if (command.type === 'refuse') answered = true;
        channel.send(command);
      };
      const answerStranger = (command: NodeCommand) => {
        if (answered) return;
        answered = true;
        channel.send(command);
      };
      // While the rack of the node is being found, its messages wait in their order.
      let waiting: NodeMessage[] | undefined;
      const take = (message: NodeMessage): void => {
        if (waiting) {
          waiting.push(message);
          return;
        }
        if (message.type !== 'register') {
          if (node && cluster.isReachedBy(node, send)) cluster.takeNodeMessage(node, message);
          else if (message.type !== 'shutdown') answerStranger({ type: 'resync' });
          return;
        }
        answered = false;
        const stranger = options.asksCertificates ? withoutCertificate(message.nodeId, options.proven.certificateOf(request)) : undefined;
        if (stranger !== undefined) {
          auditStranger(request, stranger);
          return answerStranger({ type: 'refuse', reason: stranger });
        }
        const rack = options.racks.resolve(hostOfNodeId(message.nodeId));
        if (!(rack instanceof Promise)) {
          node = cluster.registerNode(message, send, rack, session);
          return;
        }
        waiting = [];
        void rack.then((found) => {
          const rest = waiting ?? [];
          waiting = undefined;
          if (ended) return;
          node = cluster.registerNode(message, send, found, session);
          for (const later of rest) take(later);
        });
      };
      let ended = false;
      return {
        onMessage(received) {
          const { value: message, fault } = checked(nodeMessage, received);
          if (fault !== undefined) {
            logger.warn({ fault, nodeId: node?.id }, 'a message of a node cannot be read and is dropped');
            if (node) return;
            if (isObject(received) && received['type'] === 'register') answered = false;
            answerStranger({ type: 'refuse', reason: `The resource manager cannot read this node's messages: ${fault}` });
            return;
          }
          take(message);
        },
        onConnection(connected) {
          if (node && cluster.isReachedBy(node, send)) cluster.nodeConnected(node, connected);
        },
        onEnd() {
          ended = true;
          if (node && cluster.isReachedBy(node, send)) cluster.nodeDisconnected(node);
        },
      };
    },
  });
  const warnOf = strangerWarnings(options);
  service.upgrade({
    path: nodeChannelPath,
    authentication: 'none',
    access: 'own-credentials',
    about: 'Node managers and what they are told to do.',
    handle({ request, remoteAddress }, socket, head) {
      if (!options.isNode(request)) {
        warnOf(remoteAddress);
        throw failure('CONNECTION_UNPROVEN');
      }
      acceptor.handleUpgrade(request, socket, head);
    },
  });
  return { close: () => acceptor.close() };
}

/** Why a node may not have its id; undefined where its certificate is for the host of it. */
function withoutCertificate(nodeId: string, certificate: X509Certificate | undefined): string | undefined {
  const host = hostOfNodeId(nodeId).replace(/^\[|\]$/g, '');
  if (!certificate) return 'The node shows no certificate of an authority that the resource manager believes.';
  if (isIP(host) ? certificate.checkIP(host) : certificate.checkHost(host)) return undefined;
  return `The certificate of the node is not for ${host}, the host of its id.`;
}

/** Warns of addresses whose cluster secret is another, each once a minute: a node that is refused asks again each second. */
export function strangerWarnings({ clock, logger }: Pick<NodeChannelOptions, 'clock' | 'logger'>): (remoteAddress: string) => void {
  return onceAMinute(clock, (remoteAddress) =>
    logger.warn({ remoteAddress }, 'a node was refused: its cluster secret is not ours, or it has no certificate that counts'),
  );
}
