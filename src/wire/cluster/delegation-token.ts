// Delegation tokens on the resource manager's REST interface.
import { long, record, type Shape, text } from '../codec/describe.ts';

/** Body of `POST /delegation-token` (`renewer` alone counts) and answer of creation and renewal. */
export const delegationToken = record(
  'delegation-token',
  { token: text(), renewer: text(), owner: text(), kind: text(), 'expiration-time': long(), 'max-validity': long() },
  { json: 'natural', wrapped: false },
);
export type DelegationTokenInfo = Shape<typeof delegationToken>;
