// Questions of the other servers to the resource manager for bearer tokens.
import type { AskManager } from '../auth/bearer/remote-judge.ts';
import type { Configuration } from '../config/load.ts';
import { serverAddress } from '../config/web-addresses.ts';
import { request } from './request.ts';

/** Asks the resource manager that the settings name. */
export function askManager(configuration: Configuration): AskManager {
  const { url } = serverAddress(configuration, 'resource-manager');
  return async (path, body, timeoutMs) => {
    const answer = await request(`${url}${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', accept: 'application/json' },
      body: JSON.stringify(body),
      signal: AbortSignal.timeout(timeoutMs),
    });
    const text = await answer.body.text();
    if (answer.statusCode !== 200) throw new Error(`the resource manager answered ${answer.statusCode}`);
    return JSON.parse(text);
  };
}
