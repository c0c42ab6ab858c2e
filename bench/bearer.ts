// What does a bearer token cost? The same request with a name alone, with a token of Heddle's, and with that token on another server.
import { startProcesses } from '../test/support/processes.ts';
import { cluster as base } from './applications.ts';
import { answered, call, type Measure, rate } from './measure.ts';

const clients = 16;
const roundMs = 1000;
const rounds = 4;

/** Rounds in turn, so that what else the machine does falls on all alike; the best of each counts. */
export async function bearer(): Promise<Measure[]> {
  await using cluster = await startProcesses({});
  const { resourceManager, history } = cluster.urls;
  const made = await call('POST', `${resourceManager}/api/v1/tokens?user.name=bench`, { name: 'bench', scope: 'read' });
  const { text } = JSON.parse(made.text) as { text: string };
  const token = { authorization: `Bearer ${text}` };
  // As long, and not looked at.
  const none = { authorization: `Basic_ ${text}` };
  const runs: Record<string, () => Promise<unknown>> = {
    'info, without a proof': () => answered('GET', `${base(resourceManager)}/info`, undefined, none),
    'info, with a bearer token': () => answered('GET', `${base(resourceManager)}/info`, undefined, token),
    'info of the history server, without a proof': () => answered('GET', `${history}/ws/v1/history/info`, undefined, none),
    'info of the history server, with a bearer token': () => answered('GET', `${history}/ws/v1/history/info`, undefined, token),
  };
  const best = new Map<string, number>();
  for (const run of Object.values(runs)) await rate(clients, 500, run);
  for (let round = 0; round < rounds; round++)
    for (const [name, run] of Object.entries(runs))
      best.set(name, Math.max(best.get(name) ?? 0, (await rate(clients, roundMs, run)).perSecond));
  return [...best].map(([name, value]) => ({ name, value, unit: 'requests/s' }));
}
