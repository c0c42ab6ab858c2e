// What the containers of an application used over the last minutes: their nodes are asked side by side, few of them and not for long.
import { type Answer, json } from '../../http/answers.ts';
import { throwAtServerEnd } from '../../http/open-calls.ts';
import type { Call } from '../../http/service.ts';
import { checked } from '../../lib/json-shape.ts';
import { failure } from '../../model/errors.ts';
import { type ContainersUsage, containersUsage } from '../../wire/node/usage.ts';
import { findViewable } from '../views/application-lookup.ts';
import type { RelayNeeds } from './container-logs.ts';
import { nodeUrl } from './container-places.ts';
import { askAs } from './relay.ts';

/** Nodes that are asked for one answer: those of the containers that were given first. */
const mostNodes = 32;
/** Answers that are made at once. */
const mostAnswers = 8;
const longestMs = 2000;
/** What a node tells of as many containers as it tells of has a third of this. */
const longestAnswer = 1024 * 1024;
let answers = 0;

type Told = ContainersUsage['containers'];

/**
 * `GET /api/v1/applications/{appid}/usage`. Of nodes that do not answer in time nothing is told, but how many containers that are.
 * @throws Failure OVERLOADED, and those of findViewable
 */
export async function usageOfApplication(needs: RelayNeeds, call: Call<never>): Promise<Answer> {
  const { cluster, access, configuration } = needs;
  const application = findViewable({ cluster, access }, call.params['appid'] ?? '', call.user);
  const running = application.attempts.flatMap(({ containers }) => [...containers.values()]).filter(({ state }) => state === 'RUNNING');
  const byNode = new Map<string, Set<string>>();
  for (const { id, nodeId } of running) {
    const asked = byNode.get(nodeId);
    if (asked) asked.add(id);
    else if (byNode.size < mostNodes) byNode.set(nodeId, new Set([id]));
  }
  if (answers >= mostAnswers) throw failure('OVERLOADED', { what: 'Asking nodes for use', seconds: 1 });
  answers++;
  try {
    const signal = AbortSignal.any([call.signal, AbortSignal.timeout(longestMs)]);
    const told = await Promise.all(
      [...byNode].map(async ([nodeId, ids]) => {
        const address = cluster.view.node(nodeId)?.httpAddress;
        if (!address) return [];
        const url = new URL(`${nodeUrl(address, configuration)}/api/v1/applications/${encodeURIComponent(application.id)}/usage`);
        const containers = await toldBy(url, needs, call, signal).catch((): Told => []);
        return containers.filter(({ containerId }) => ids.has(containerId));
      }),
    );
    throwAtServerEnd(call.signal);
    const containers = told.flat();
    return json({ containers, left: running.length - containers.length } satisfies ContainersUsage);
  } finally {
    answers--;
  }
}

/** What a node tells; rejects where it does not, or tells something else. */
async function toldBy(url: URL, { authorizationOf }: RelayNeeds, call: Call<never>, signal: AbortSignal): Promise<Told> {
  const answer = await askAs(call, url, authorizationOf, { signal });
  const pieces: Uint8Array[] = [];
  let length = 0;
  for await (const piece of (answer.body ?? []) as AsyncIterable<Uint8Array>) {
    length += piece.length;
    if (length > longestAnswer) throw new Error('an answer is too long');
    pieces.push(piece);
  }
  return checked(containersUsage, JSON.parse(Buffer.concat(pieces).toString('utf8'))).value?.containers ?? [];
}
