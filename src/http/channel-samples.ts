// What the node channel carries, for Prometheus: the same figures at both of its ends.
import type { ChannelFigures } from '../lib/channel-figures.ts';
import type { Sample } from './sample.ts';

const about = {
  messages: 'Messages between the resource manager and nodes; those sent again after a break count again.',
  bytes: 'Bytes of these messages.',
  connections: 'Connections between the resource manager and nodes, by whether they went on with the session before.',
} as const;

/** Everything at this moment. */
export function channelSamples({ sent, received, begunSessions, resumedSessions, open, pending }: ChannelFigures): Sample[] {
  return [
    ...Object.entries({ sent, received }).flatMap(([direction, { messages, bytes }]) => [
      { name: 'heddle_channel_messages_total', help: about.messages, value: messages, labels: { direction } },
      { name: 'heddle_channel_bytes_total', help: about.bytes, value: bytes, labels: { direction } },
    ]),
    { name: 'heddle_channel_pending_messages', help: 'Messages that the other end has not acknowledged yet.', value: pending },
    { name: 'heddle_channel_open', help: 'Connections that are up.', value: open },
    ...Object.entries({ new: begunSessions, resumed: resumedSessions }).map(([session, value]) => ({
      ...{ name: 'heddle_channel_connections_total', help: about.connections, value, labels: { session } },
    })),
  ];
}
