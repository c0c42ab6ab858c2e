// Hears of every socket that this thread begins to listen on, whoever opens it.
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import type { AddressInfo, Server } from 'node:net';

const listening = 'tracing:net.server.listen:asyncEnd';

/** Tells of each server as it is bound, before it takes its first connection. Pipes are left out. Gives what ends it. */
export function watchBoundSockets(bound: (address: AddressInfo, server: Server) => void): () => void {
  const hear = (message: unknown): void => {
    const { server } = message as { readonly server: Server };
    const address = server.address();
    if (address !== null && typeof address === 'object') bound(address, server);
  };
  subscribe(listening, hear);
  return () => void unsubscribe(listening, hear);
}
