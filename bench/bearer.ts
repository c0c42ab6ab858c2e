// What does it cost to know who calls? The same request without a proof, with a cookie, and with a bearer token, here and on another server.
import { request } from 'undici';
import { startProcesses } from '../test/support/processes.ts';
import { cluster as base } from './applications.ts';
import { load, median } from './load.ts';
import { call, type Measure } from './measure.ts';

const roundSeconds = 1;
/** Two rounds of the same way differ by some percent: fewer do not tell what is below five. */
const rounds = 25;

/** A way of asking; `beside` is the way whose cost it is compared with. */
interface Way {
  readonly name: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly beside?: string;
}

interface Round {
  readonly perSecond: number;
  readonly cpuMicroseconds: number;
}

/** Rounds in turn, forwards and backwards, so that what else the machine does falls on all alike; the middle of the rounds, and of each round's own comparison. */
export async function bearer(): Promise<Measure[]> {
  await using cluster = await startProcesses({});
  const pid = cluster.pids.get('up');
  const { resourceManager, history } = cluster.urls;
  const made = await call('POST', `${resourceManager}/api/v1/tokens?user.name=bench`, { name: 'bench', scope: 'read' });
  const { text } = JSON.parse(made.text) as { text: string };
  const info = `${base(resourceManager)}/info`;
  const named = await request(`${info}?user.name=bench`);
  await named.body.dump();
  const cookie = String(named.headers['set-cookie']).split(';')[0] ?? '';
  const bearing = { authorization: `Bearer ${text}` };
  const historyInfo = `${history}/ws/v1/history/info`;
  const [alone, historyAlone] = ['info, without a proof', 'info of the history server, without a proof'];
  const ways: readonly Way[] = [
    // As long as a proof, and not looked at.
    { name: alone, url: info, headers: { 'x-proof': text } },
    { name: 'info, with a cookie', url: info, headers: { cookie }, beside: alone },
    { name: 'info, with a bearer token', url: info, headers: bearing, beside: alone },
    { name: historyAlone, url: historyInfo, headers: { 'x-proof': text } },
    { name: 'info of the history server, with a bearer token', url: historyInfo, headers: bearing, beside: historyAlone },
  ];
  const seen = new Map<string, Round[]>(ways.map(({ name }) => [name, []]));
  for (let round = -1; round < rounds; round++)
    for (const { name, url, headers } of round % 2 === 0 ? ways : ways.toReversed()) {
      const measured = await load(url, roundSeconds, pid, headers);
      if (round >= 0) seen.get(name)?.push(measured);
    }
  return ways.flatMap(({ name, beside }) => {
    const own = seen.get(name) ?? [];
    const other = beside === undefined ? undefined : seen.get(beside);
    const costs = (of: keyof Round, sign: 1 | -1) =>
      own.map((round, index) => ((round[of] / (other?.[index]?.[of] ?? 0)) ** sign - 1) * 100);
    return [
      { name, value: median(own.map(({ perSecond }) => perSecond)), unit: 'requests/s' },
      { name: `${name}: processor time of the server`, value: median(own.map(({ cpuMicroseconds }) => cpuMicroseconds)), unit: 'µs' },
      ...(other
        ? [
            { name: `${name}: fewer answers a second than without`, value: median(costs('perSecond', -1)), unit: '%' },
            { name: `${name}: more processor time than without`, value: median(costs('cpuMicroseconds', 1)), unit: '%' },
          ]
        : []),
    ];
  });
}
