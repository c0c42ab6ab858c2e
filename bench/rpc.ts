// How many heartbeats of Hadoop's masters does the resource manager answer in a second on one core?
import { fork } from 'node:child_process';
import { join } from 'node:path';
import { readStat } from '../src/lib/process-stat.ts';
import { RpcTestClient } from '../src/rpc/test-support/rpc-client.ts';
import { applicationClientProtocol as protocol } from '../src/wire/rpc/protocols/application-client.ts';
import { freePorts } from '../test/support/ports.ts';
import { startProcesses, until } from '../test/support/processes.ts';
import { specification, submit } from './applications.ts';
import type { Measure } from './measure.ts';

const masters = 50;
const durationMs = 5000;

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

export async function rpc(): Promise<Measure[]> {
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
  const { heartbeats, seconds, p99Ms } = await new Promise<Exclude<LoadNews, { begins: true }>>((done, fail) => {
    load.on('message', (news: LoadNews) => {
      if ('begins' in news) beganMs = cpuMs(pid);
      else done(news);
    });
    load.on('exit', (code) => fail(new Error(`the load ended with ${code}`)));
  });
  const usedMs = cpuMs(pid) - beganMs;
  load.kill();
  return [
    { name: `allocate of ${masters} masters that want nothing`, value: heartbeats / seconds, unit: 'heartbeats/s' },
    { name: 'p99', value: p99Ms, unit: 'ms' },
    { name: 'CPU of the resource manager for one', value: (1000 * usedMs) / heartbeats, unit: 'µs' },
    { name: 'what one core would answer', value: (1000 * heartbeats) / usedMs, unit: 'heartbeats/s' },
  ];
}
