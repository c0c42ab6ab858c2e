// What does it cost to know who calls: a cookie with every request, and a Kerberos login?
import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { request } from 'undici';
import { Gss } from '../src/auth/kerberos/gss.ts';
import { systemClock } from '../src/lib/clock.ts';
import { silentLogger } from '../src/lib/log.ts';
import { startRealmCluster } from '../test/kerberos/cluster.ts';
import { startProcesses } from '../test/support/processes.ts';
import { type Measure, percentile, rate } from './measure.ts';

const clients = 16;
const roundMs = 700;
const rounds = 7;
const logins = 3000;

/** A request with these headers; gives the cookie of the answer. */
async function ask(url: string, headers: Record<string, string>): Promise<string> {
  const answer = await request(url, { headers });
  await answer.body.dump();
  if (answer.statusCode !== 200) throw new Error(`${url}: ${answer.statusCode}`);
  return String(answer.headers['set-cookie'] ?? '').split(';')[0] ?? '';
}

/** Processor time that a process and its children have had, in milliseconds: what a busy machine does not change. */
function processorMs(pid: number): number {
  let ticks = 0;
  for (const entry of readdirSync('/proc').filter((name) => /^\d+$/.test(name))) {
    try {
      const fields = readFileSync(`/proc/${entry}/stat`, 'utf8')
        .replace(/^.*\) /, '')
        .split(' ');
      if (Number(entry) === pid || Number(fields[1]) === pid) ticks += Number(fields[11]) + Number(fields[12]);
    } catch {
      // It has ended meanwhile.
    }
  }
  return ticks * 10;
}

interface Cost {
  readonly perSecond: number;
  /** Processor time of the server for one request, in microseconds. */
  readonly processorUs: number;
}

/** What each way of asking costs, asked in turns so that a busy machine slows all of them: the middle of the rounds. */
async function compared(pid: number, url: string, ways: Readonly<Record<string, Record<string, string>>>): Promise<Record<string, Cost>> {
  const seen = Object.fromEntries(Object.keys(ways).map((name) => [name, [] as Cost[]]));
  for (let round = -1; round < rounds; round++)
    for (const [name, headers] of Object.entries(ways)) {
      const before = processorMs(pid);
      let count = 0;
      const { perSecond } = await rate(clients, roundMs, () => {
        count++;
        return ask(url, headers);
      });
      if (round >= 0) seen[name]?.push({ perSecond, processorUs: ((processorMs(pid) - before) / count) * 1000 });
    }
  const middle = (values: readonly Cost[], of: keyof Cost) =>
    percentile(
      values.map((cost) => cost[of]),
      0.5,
    );
  return Object.fromEntries(
    Object.entries(seen).map(([name, values]) => [
      name,
      { perSecond: middle(values, 'perSecond'), processorUs: middle(values, 'processorUs') },
    ]),
  );
}

const measured = (name: string, { perSecond, processorUs }: Cost): Measure[] => [
  { name, value: perSecond, unit: 'requests/s' },
  { name: `${name}: processor time of the server`, value: processorUs, unit: 'µs' },
];

export async function authentication(): Promise<Measure[]> {
  const measures: Measure[] = [];
  {
    await using cluster = await startProcesses();
    const url = `${cluster.urls.resourceManager}/ws/v1/cluster/info`;
    const cookie = await ask(`${url}?user.name=ann`, {});
    const found = await compared(cluster.pids.get('up') ?? 0, url, { nobody: {}, 'a cookie': { cookie } });
    for (const [name, cost] of Object.entries(found)) measures.push(...measured(`info, ${name}`, cost));
  }
  const { status, stdout } = spawnSync(join(import.meta.dirname, '../scripts/install-kerberos.sh'), { encoding: 'utf8' });
  if (status !== 0) {
    console.log(`Kerberos is not measured: ${stdout.trim()}`);
    return measures;
  }
  await using stand = await startRealmCluster();
  stand.realm.login('ann');
  const gss = new Gss({ initiatorKeytab: join(stand.realm.home, 'keytabs/ann.keytab'), clock: systemClock, logger: silentLogger });
  const tickets: string[] = [];
  while (tickets.length < logins + clients)
    tickets.push(...(await Promise.all(Array.from({ length: clients }, () => gss.initiate('HTTP@localhost')))));
  gss.close();
  const url = `${stand.cluster.urls.resourceManager}/ws/v1/cluster/info`;
  const byTicket = () => ask(url, { authorization: `Negotiate ${tickets.pop()}` });
  const cookie = await byTicket();
  await Promise.all(Array.from({ length: clients }, byTicket));
  const pid = stand.cluster.pids.get('up') ?? 0;
  const before = processorMs(pid);
  const begin = performance.now();
  const count = tickets.length - clients;
  const times: number[] = [];
  await Promise.all(
    Array.from({ length: clients }, async () => {
      while (tickets.length > clients) {
        const start = performance.now();
        await byTicket();
        times.push(performance.now() - start);
      }
    }),
  );
  measures.push({ name: 'SPNEGO logins', value: (count / (performance.now() - begin)) * 1000, unit: 'logins/s' });
  measures.push({ name: `SPNEGO logins, p99 of ${clients} clients`, value: percentile(times, 0.99), unit: 'ms' });
  measures.push({ name: 'SPNEGO logins: processor time of the server', value: ((processorMs(pid) - before) / count) * 1000, unit: 'µs' });
  const found = await compared(pid, url, { 'a cookie of Kerberos': { cookie } });
  for (const [name, cost] of Object.entries(found)) measures.push(...measured(`info, ${name}`, cost));
  return measures;
}
