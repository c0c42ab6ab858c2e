// How a protocol of Hadoop RPC is described: the name of its Java interface, its methods and the messages of these. One file a protocol, of the
// `*_protocol.proto` files of Hadoop 3.4.2.
import type { Message } from '../message.ts';

/** The messages of a protocol's methods. */
export interface ProtocolDescription {
  readonly name: string;
  readonly version: number;
  readonly methods: Readonly<Record<string, readonly [request: Message, response: Message]>>;
}
