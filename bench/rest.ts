// How many requests a second does the resource manager answer with 1,000 applications waiting? Heddle, Hadoop where it takes part, and a
// bare server with the same bytes (or the same to have on the disk) are asked in turn, round after round, so that what else the machine does
// falls on all of them.
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { startProcesses } from '../test/support/processes.ts';
import { cluster as base, fill, specification } from './applications.ts';
import { type Load, load, median, submissions } from './load.ts';
import { getJson, type Measure } from './measure.ts';
import type { Peer } from './peer.ts';

const waiting = 1000;
const rounds = 5;
const roundSeconds = 1;
/** Headers that Node.js writes by itself. */
const ownHeaders = new Set(['connection', 'content-length', 'date', 'keep-alive', 'transfer-encoding']);

const pathsOf = (id: string): Record<string, string> => ({
  info: '/info',
  'one application': `/apps/${id}`,
  metrics: '/metrics',
  'apps?states=RUNNING, none runs': '/apps?states=RUNNING',
  appstatistics: '/appstatistics',
  scheduler: '/scheduler',
  'apps?limit=100': '/apps?limit=100',
  [`all ${waiting.toLocaleString('en')} applications`]: '/apps',
});

/** The program of a server in a process of its own; it says its port. */
async function startServer(program: string) {
  const child = fork(new URL(program, import.meta.url));
  const [port] = (await once(child, 'message')) as [number];
  return { child, url: `http://127.0.0.1:${port}/`, pid: child.pid ?? 0 };
}

/** A server of Node.js alone. */
async function startBare() {
  const { child, url, pid } = await startServer('./bare-server.ts');
  return {
    url,
    pid,
    /** Answers as another server did. */
    async answerAs(url: string): Promise<void> {
      const answer = await fetch(url, { headers: { 'accept-encoding': 'identity' } });
      const headers = Object.fromEntries([...answer.headers].filter(([name]) => !ownHeaders.has(name)));
      child.send({ headers, body: Buffer.from(await answer.arrayBuffer()).toString('base64') });
      await once(child, 'message');
    },
    [Symbol.dispose]: () => void child.kill(),
  };
}

interface Server {
  readonly url: string;
  readonly pid?: number;
  /** Works on after it has answered: it is held while others are asked. */
  readonly hold?: (isHeld: boolean) => void;
}

type Servers = Readonly<Record<string, Server>>;

/** One that has on its disk what it was sent, and does nothing else with it. */
async function startBareDisk() {
  const { child, url, pid } = await startServer('./bare-disk-server.ts');
  return { url, pid, [Symbol.dispose]: () => void child.disconnect() };
}

/** The loads of each server, taken in turn. */
async function inTurn(servers: Servers, take = load): Promise<Record<string, Load[]>> {
  const loads: Record<string, Load[]> = Object.fromEntries(Object.keys(servers).map((name) => [name, []]));
  for (let round = 0; round < rounds; round++)
    for (const [name, { url, pid, hold }] of Object.entries(servers)) {
      if (hold) {
        hold(false);
        // One that has just woken makes up for what it missed: it is measured once it is at it again.
        await fetch(url).then((answer) => answer.arrayBuffer());
        await take(url, roundSeconds);
      }
      loads[name]!.push(await take(url, roundSeconds, pid));
      hold?.(true);
    }
  for (const { hold } of Object.values(servers)) hold?.(false);
  return loads;
}

const firstId = async (rm: string): Promise<string> =>
  (await getJson<{ apps: { app: { id: string }[] } }>(`${base(rm)}/apps?limit=1`)).apps.app[0]?.id ?? '';

function measuresOf(name: string, { heddle = [], floor, hadoop }: Record<string, Load[]>): Measure[] {
  const rates = (loads: readonly Load[]) => loads.map(({ perSecond }) => perSecond);
  const ours = rates(heddle);
  return [
    {
      name,
      value: median(ours),
      unit: 'requests/s',
      spread: [Math.min(...ours), Math.max(...ours)],
      ...(floor ? { floor: median(rates(floor)) } : {}),
      ...(hadoop ? { peer: median(rates(hadoop)) } : {}),
    },
    {
      name: `${name}, p99`,
      value: median(heddle.map(({ p99Ms }) => p99Ms)),
      unit: 'ms',
      ...(hadoop ? { peer: median(hadoop.map(({ p99Ms }) => p99Ms)) } : {}),
    },
    {
      name: `${name}, processor time`,
      value: median(heddle.map(({ cpuMicroseconds }) => cpuMicroseconds)),
      unit: '\u00b5s',
      ...(floor ? { floor: median(floor.map(({ cpuMicroseconds }) => cpuMicroseconds)) } : {}),
    },
  ];
}

export async function rest(peer?: Peer): Promise<Measure[]> {
  await using cluster = await startProcesses({ mode: 'roles', settings: { 'yarn.scheduler.capacity.maximum-applications': '1000000' } });
  using bare = await startBare();
  const rm = cluster.urls.resourceManager;
  const pid = cluster.pids.get('resource-manager') ?? 0;
  await fill(rm, waiting);
  if (peer) await fill(peer.urls.resourceManager, waiting);
  const theirs = peer && pathsOf(await firstId(peer.urls.resourceManager));
  const measures: Measure[] = [];
  for (const [name, path] of Object.entries(pathsOf(await firstId(rm)))) {
    const url = base(rm) + path;
    await bare.answerAs(url);
    const servers: Record<string, Server> = { heddle: { url, pid }, floor: { url: bare.url, pid: bare.pid } };
    if (peer && theirs) servers['hadoop'] = { url: base(peer.urls.resourceManager) + theirs[name], hold: peer.hold };
    measures.push(...measuresOf(name, await inTurn(servers)));
  }
  using bareDisk = await startBareDisk();
  const submitters: Servers = {
    heddle: { url: base(rm), pid },
    floor: { url: base(bareDisk.url.slice(0, -1)), pid: bareDisk.pid },
    ...(peer ? { hadoop: { url: base(peer.urls.resourceManager), hold: peer.hold } } : {}),
  };
  const submitted = await inTurn(submitters, (url, seconds, process) => submissions(url, seconds, specification(), process));
  measures.push(...measuresOf('new id and durable submission, of 16', submitted));
  return measures;
}
