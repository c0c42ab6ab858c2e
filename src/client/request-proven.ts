// One HTTP request with a proof of who sends it.
import { type Authorize, sendProven } from './credentials.ts';
import { type RequestAnswer, type RequestOptions, request } from './request.ts';

/** As `request`, with a proof. Rejects with ProofMissing, and as `request`. */
export const requestProven = (address: string, authorize: Authorize | undefined, options: RequestOptions): Promise<RequestAnswer> =>
  sendProven(
    { method: options.method ?? 'GET', url: new URL(address), authorize },
    (proof) => request(address, { ...options, headers: { ...options.headers, ...proof } }),
    ({ statusCode, headers, body }) => ({
      status: statusCode,
      challenge: headers['www-authenticate'],
      discard: () => void body.stream.resume(),
    }),
  );
