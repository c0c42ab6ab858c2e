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
import type { Peer } from './peer.ts';
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
  return [...(await heartbeats()), ...(await crowded()), ...(await programs(compared))];
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

async function heartbeats(): Promise<Measure[]> {
  const [clients, schedulers] = await freePorts(2);
  await using cluster = await startProcesses({
    mode: 'none',
    settings: {
      'yarn.resourcemanager.address': `127.0.0.1:${clients}`,
      'yarn.resourcemanager.scheduler.address': `127.0.0.1:${schedulers}`,
      'yarn.resourcemanager.admin.address': '127.0.0.1:0',
      'yarn.scheduler.capacity.maximum-am-resource-percent': '1',
    },
  });
  await cluster.start('resource-manager');
  const pid = cluster.pids.get('resource-manager')!;
  const tokens = await tokensOf(cluster.urls.resourceManager, `127.0.0.1:${clients}`, masters);
  const load = fork(join(import.meta.dirname, 'rpc-load.ts'));
  const order: LoadOrder = { address: `127.0.0.1:${schedulers}`, tokens, durationMs };
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
  load.kill();
  return [
    { name: `allocate of ${masters} masters that want nothing`, value: count / seconds, unit: 'heartbeats/s' },
    { name: 'p99', value: p99Ms, unit: 'ms' },
    { name: 'CPU of the resource manager for one', value: (1000 * usedMs) / count, unit: 'µs' },
    { name: 'what one core would answer', value: (1000 * count) / usedMs, unit: 'heartbeats/s' },
  ];
}
