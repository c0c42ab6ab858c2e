// What `heddle doctor` finds about the bearer tokens of a running cluster, as its operator.

import { believeAuthorities } from '../client/authorities.ts';
import type { TokenInfo } from '../client/cluster-client.ts';
import { ClusterClient } from '../client/cluster-client.ts';
import { operatorAuthorization } from '../client/server-credentials.ts';
import type { Configuration } from '../config/load.ts';
import { ownUserName } from '../lib/own-user.ts';
import { printable } from '../lib/printable.ts';
import type { Finding } from './finding.ts';

const dayMs = 86_400_000;
/** A token that nobody used for so long is for nothing. */
const unusedMs = 30 * dayMs;
/** Who finds an administrator's token may use it for longer than this. */
const longestAdminMs = 90 * dayMs;
/** A token that is in use and ends so soon is to be replaced. */
const soonMs = 7 * dayMs;
/** Findings of one kind that are written out. */
const mostTold = 20;

/** Looks at the tokens that the resource manager at `url` has; nothing where this user is not let see those of all. */
export async function findTokens(
  configuration: Configuration,
  { url, authorityFile }: { readonly url: string; readonly authorityFile: string | undefined },
  now: () => number,
): Promise<Finding[]> {
  believeAuthorities(configuration, authorityFile);
  const user = ownUserName();
  const client = new ClusterClient({ url, user, authorize: operatorAuthorization(configuration, user) });
  const tokens = await client.tokens(true).catch(() => []);
  return tokens
    .flatMap((token) => findingOf(token, now()) ?? [])
    .slice(0, mostTold)
    .map(({ level, what, remedy }) => ({ level, what: printable(what), remedy: printable(remedy) }));
}

/** The first that applies. */
function findingOf(token: TokenInfo, nowMs: number): Finding | undefined {
  const { id, user, scope, queues, createdMs, expiresMs, lastUsedMs } = token;
  const name = `the bearer token ${id} (${token.name}) of ${user}`;
  const revoke = `Revoke it: heddle token revoke ${id} --user ${user}`;
  const days = (ms: number) => `${Math.floor(ms / dayMs)} days`;
  if (expiresMs <= nowMs)
    return {
      level: 'note',
      what: `${name} ended ${days(nowMs - expiresMs)} ago: what uses it is refused`,
      remedy: `Make a new one, or say "heddle token revoke ${id} --user ${user}".`,
    };
  if (scope === 'admin' && expiresMs - nowMs > longestAdminMs)
    return {
      level: 'problem',
      what: `${name} may do everything that its user may${queues ? ' in some queues' : ''}, for ${days(expiresMs - nowMs)} more`,
      remedy: `Make one that ends sooner (--expires 30d) or may less (--scope submit), and revoke this: heddle token revoke ${id} --user ${user}`,
    };
  if (nowMs - (lastUsedMs ?? createdMs) > unusedMs)
    return {
      level: 'note',
      what:
        lastUsedMs === undefined
          ? `${name} was never used, for ${days(nowMs - createdMs)}`
          : `${name} was not used for ${days(nowMs - lastUsedMs)}`,
      remedy: revoke,
    };
  if (lastUsedMs !== undefined && expiresMs - nowMs < soonMs && expiresMs - createdMs > 2 * soonMs)
    return {
      level: 'note',
      what: `${name} is in use and ends in ${days(expiresMs - nowMs)}`,
      remedy: 'Make a new one (heddle token create), and give it to what uses this one.',
    };
  return undefined;
}
