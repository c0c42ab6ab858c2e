// How many heartbeats of Hadoop's masters does the resource manager answer in a second on one core, and how long do their users wait?
import { fork } from 'node:child_process';
import { join } from 'node:path';
import { readStat } from '../src/lib/process-stat.ts';
import { RpcTestClient } from '../src/rpc/test-support/rpc-client.ts';
import { applicationClientProtocol as protocol } from '../src/wire/rpc/protocols/application-client.ts';
import { freePorts } from '../test/support/ports.ts';
import { startProcesses, until } from '../test/support/processes.ts';
import { fill, specification, submit } from './applications.ts';
import { answered, type Measure, percentile, rate } from './measure.ts';
import { type Peer, startPeer } from './peer.ts';
import { roomForAll, usualSettings } from './rpc-clusters.ts';
import type { CrowdNews, CrowdOrder } from './rpc-crowd.ts';
import { programs } from './rpc-programs.ts';

const masters = 50;
const durationMs = 5000;
const idleConnections = 10_000;
/** Applications that those who do not read ask for. */
const listed = 500;

/** What the program that makes the load is told. */
export interface LoadOrder {
  readonly address: string;
  /** Of each master: identifier and password of its token, in Base64. */
  readonly tokens: readonly (readonly [identifier: string, password: string])[];
  readonly durationMs: number;
}

/** What it says. */
export type LoadNews = { readonly begins: true } | { readonly heartbeats: number; readonly seconds: number; readonly p99Ms: number };

/** Tokens of masters that run outside the cluster. */
async function tokensOf(rm: string, address: string, count: number): Promise<LoadOrder['tokens']> {
  using client = RpcTestClient.named(address, 'root', protocol.name);
  const tokens: (readonly [string, string])[] = [];
  for (let i = 0; i < count; i++) {
    const [, cluster_timestamp, id] = (await submit(rm, specification())).split('_').map(Number);
    const token = await until('a token of a master', async () => {
      const { application_report: report } = await client.call(protocol, 'getApplicationReport', {
        application_id: { id: id!, cluster_timestamp: cluster_timestamp! },
      });
      return report?.am_rm_token;
    });
    tokens.push([Buffer.from(token.identifier).toString('base64'), Buffer.from(token.password).toString('base64')]);
  }
  return tokens;
}

function cpuMs(pid: number): number {
  const stat = readStat(pid);
  return stat ? stat.userTimeMs + stat.systemTimeMs : Number.NaN;
}

export async function rpc(_peer?: Peer, compared = false): Promise<Measure[]> {
  // The crowd is the last: ports that its connections had are not free at once, and Hadoop's daemons want their own.
  return [...(await heartbeats(compared)), ...(await programs(compared)), ...(await crowded())];
}

/** How long does REST take while the ports of RPC are crowded, by connections that are idle and by callers who spoil, stall and do not read? */
async function crowded(): Promise<Measure[]> {
  const [clients] = await freePorts(1);
  const address = `127.0.0.1:${clients}`;
  await using cluster = await startProcesses({
    mode: 'none',
    settings: {
      'yarn.resourcemanager.address': address,
      'yarn.resourcemanager.admin.address': '127.0.0.1:0',
      // Else they are closed after ten seconds, for they are many.
      'ipc.client.idlethreshold': String(2 * idleConnections),
    },
  });
  await cluster.start('resource-manager');
  const rm = cluster.urls.resourceManager;
  await fill(rm, listed);
  const info = () => answered('GET', `${rm}/ws/v1/cluster/info`);
  await rate(1, durationMs, info);
  const alone = await rate(1, durationMs, info);
  const crowd = fork(join(import.meta.dirname, 'rpc-crowd.ts'));
  const order: CrowdOrder = { address, idle: idleConnections };
  const refusals: number[] = [];
  await new Promise<void>((done, fail) => {
    crowd.on('message', (news: CrowdNews) => ('connected' in news ? done() : refusals.push(news.refusals)));
    crowd.on('exit', (code) => fail(new Error(`the crowd ended with ${code}`)));
    crowd.send(order);
  });
  const meanwhile = await rate(1, 2 * durationMs, info);
  crowd.removeAllListeners('exit').kill();
  return [
    { name: '`GET /ws/v1/cluster/info`, p99', value: alone.p99Ms, unit: 'ms' },
    {
      name: `the same with ${idleConnections.toLocaleString('en')} idle connections of RPC, and callers who spoil, stall and do not read, p99`,
      value: meanwhile.p99Ms,
      unit: 'ms',
    },
    { name: 'requests refused meanwhile', value: percentile(refusals, 0.5), unit: 'refusals/s' },
  ];
}

/** A resource manager that masters call: its process, its REST, and the addresses of ApplicationClientProtocol and ApplicationMasterProtocol. */
interface Called {
  readonly pid: number;
  readonly rest: string;
  readonly clients: string;
  readonly masters: string;
}

/** What a resource manager answers to masters that call again as soon as they are answered. */
interface Answers {
  readonly perSecond: number;
  readonly p99Ms: number;
  /** Processor time of the resource manager for one, in microseconds. */
  readonly cpuUs: number;
}

async function answersOf({ pid, rest, clients, masters: address }: Called): Promise<Answers> {
  const tokens = await tokensOf(rest, clients, masters);
  const load = fork(join(import.meta.dirname, 'rpc-load.ts'));
  const order: LoadOrder = { address, tokens, durationMs };
  load.send(order);
  let beganMs = Number.NaN;
  const {
    heartbeats: count,
    seconds,
    p99Ms,
  } = await new Promise<Exclude<LoadNews, { begins: true }>>((done, fail) => {
    load.on('message', (news: LoadNews) => {
      if ('begins' in news) beganMs = cpuMs(pid);
      else done(news);
    });
    load.on('exit', (code) => fail(new Error(`the load ended with ${code}`)));
  });
  const usedMs = cpuMs(pid) - beganMs;
  load.removeAllListeners('exit').kill();
  return { perSecond: count / seconds, p99Ms, cpuUs: (1000 * usedMs) / count };
}

async function heartbeats(compared: boolean): Promise<Measure[]> {
  const [clients, schedulers] = await freePorts(2);
  const addresses = { clients: `127.0.0.1:${clients}`, masters: `127.0.0.1:${schedulers}` };
  await using cluster = await startProcesses({
    mode: 'none',
    settings: {
      'yarn.resourcemanager.address': addresses.clients,
      'yarn.resourcemanager.scheduler.address': addresses.masters,
      'yarn.resourcemanager.admin.address': '127.0.0.1:0',
      'yarn.scheduler.capacity.maximum-am-resource-percent': '1',
    },
  });
  await cluster.start('resource-manager');
  const ours = await answersOf({ pid: cluster.pids.get('resource-manager')!, rest: cluster.urls.resourceManager, ...addresses });
  await cluster.stop('resource-manager', 'SIGTERM');
  const theirs = compared ? await heartbeatsOfPeer() : undefined;
  const both = (name: string, unit: string, of: (answers: Answers) => number): Measure => ({
    name,
    unit,
    value: of(ours),
    ...(theirs ? { peer: of(theirs) } : {}),
  });
  return [
    both(`allocate of ${masters} masters that want nothing`, 'heartbeats/s', ({ perSecond }) => perSecond),
    both('p99', 'ms', ({ p99Ms }) => p99Ms),
    both('CPU of the resource manager for one', 'µs', ({ cpuUs }) => cpuUs),
    both('what one core would answer', 'heartbeats/s', ({ cpuUs }) => 1e6 / cpuUs),
  ];
}

/** The same of Hadoop, with room for all masters on its one node. */
async function heartbeatsOfPeer(): Promise<Answers> {
  const peer = await startPeer({ ...usualSettings, ...roomForAll }, ['rm', 'nm']);
  try {
    const rest = peer.urls.resourceManager;
    return await answersOf({ pid: peer.pid('rm'), rest, clients: '127.0.0.1:8032', masters: '127.0.0.1:8030' });
  } finally {
    await peer.close();
  }
}
