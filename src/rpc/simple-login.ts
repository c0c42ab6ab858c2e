// Logging in by saying one's name, where that counts: whoever is at the other end may say it, and for whom they act they may act.
import type { Socket } from 'node:net';
import type { LocalUsers } from '../auth/local-users.ts';
import type { MayImpersonate } from '../auth/proxy-users.ts';
import type { RpcAuthentication } from './authentication.ts';

/** The rule of a port; `locals` tells users of this machine apart, undefined where all are let in. */
export function simpleLogin(locals: LocalUsers | undefined, mayImpersonate: MayImpersonate): NonNullable<RpcAuthentication['simple']> {
  if (!locals) return { mayImpersonate };
  return {
    mayImpersonate,
    learn: (socket: Socket) => locals.learn({ socket }),
    mayName: (socket: Socket, user: string | undefined) => locals.mayName({ socket }, user),
  };
}
