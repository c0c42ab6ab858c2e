// What protects the messages of a connection after its login, whichever mechanism agreed on it.

/** Qualities of protection as SASL names them. */
export const qops = ['auth', 'auth-int', 'auth-conf'] as const;
export type Qop = (typeof qops)[number];

/** Protects the messages of one connection, each way in the order in which they are sent. */
export interface SecurityLayer {
  wrap(message: Uint8Array): Buffer | Promise<Buffer>;
  /** @throws RpcException (SaslException) for a message that was changed, left out or said again */
  unwrap(message: Uint8Array): Buffer | Promise<Buffer>;
}
