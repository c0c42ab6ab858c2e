// ApplicationClientProtocol: decode, call a command or look, encode. The rules are the commands'; what is shown is in the reports.

import { type RpcProtocol, serveProtocol } from '../../rpc/protocol.ts';
import { applicationClientProtocol } from '../../wire/rpc/protocols/application-client.ts';
import { applicationHandlers } from './application-handlers.ts';
import type { ClientNeeds } from './client-handlers.ts';
import { clusterHandlers } from './cluster-handlers.ts';
import { failureTranslator } from './failures.ts';
import { reservationHandlers } from './reservation-handlers.ts';

/** The protocol of programs that submit and watch applications. */
export const clientProtocol = (needs: ClientNeeds): RpcProtocol =>
  serveProtocol(
    applicationClientProtocol,
    { ...applicationHandlers(needs), ...clusterHandlers(needs), ...reservationHandlers(needs) },
    failureTranslator('ApplicationClientProtocol', needs.audit),
  );
