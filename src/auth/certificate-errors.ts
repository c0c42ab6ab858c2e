// What Node.js and OpenSSL say of a server that is not believed.
import { isOfCertificate } from '../lib/connection-reason.ts';

/** Whether an error's code says that a certificate was not believed, or that there is none because what answers does not speak TLS. */
export const isUnbelieved = (code: string): boolean =>
  isOfCertificate(code) || /^ERR_SSL_(?:WRONG_VERSION_NUMBER|PACKET_LENGTH_TOO_LONG)/.test(code);

const remedies: readonly (readonly [codes: RegExp, remedy: string])[] = [
  [/^ERR_SSL_/, 'it does not speak TLS there: see that yarn.http.policy and mapreduce.jobhistory.http.policy are the servers’'],
  [/ALTNAME/, 'it is for other names: ask by one of them, or give the server a certificate with this one'],
  [/EXPIRED/, 'its time is over: give the server a new one'],
  [/NOT_YET_VALID/, 'its time has not come: see that the clocks of both machines are right'],
];

/** What to do about it. */
export const remedyOf = (code: string): string =>
  remedies.find(([codes]) => codes.test(code))?.[1] ?? 'name its authority with heddle.tls.ca-file';
