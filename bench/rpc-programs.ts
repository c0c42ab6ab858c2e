// What the users of Hadoop's and Spark's own programs wait for, on both clusters in turn, and how many submissions each takes over Hadoop RPC.
import { copyFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { RpcTestClient } from '../src/rpc/test-support/rpc-client.ts';
import type { Decoded } from '../src/wire/rpc/message.ts';
import { applicationClientProtocol as protocol } from '../src/wire/rpc/protocols/application-client.ts';
import { freePorts } from '../test/support/ports.ts';
import { startProcesses } from '../test/support/processes.ts';
import { distributedShell, exampleJob, type HadoopClients, hasSpark, sparkPi } from './hadoop-clients.ts';
import { type Measure, percentile } from './measure.ts';
import { fetchPeer, type Peer, peerFiles, startPeer } from './peer.ts';

const megabytes = Number(process.env['HEDDLE_BENCH_TERASORT_MB'] ?? 100);
const rounds = Number(process.env['HEDDLE_BENCH_ROUNDS'] ?? 3);
const rowBytes = 100;
const containers = 100;
const submitters = 16;
const submissionsOfEach = 25;
/** As long as Hadoop's client waits between two looks at what it submitted. */
const lookMs = 200;

/** What both clusters have: one node of the same size, the same queues, nothing told to the timeline. */
const settings: Readonly<Record<string, string>> = {
  'yarn.timeline-service.enabled': 'false',
  'yarn.system-metrics-publisher.enabled': 'false',
  'yarn.resourcemanager.system-metrics-publisher.enabled': 'false',
  'yarn.nodemanager.resource.memory-mb': '8192',
  'yarn.nodemanager.resource.cpu-vcores': '8',
  'yarn.nodemanager.aux-services': 'mapreduce_shuffle',
  'yarn.nodemanager.vmem-check-enabled': 'false',
  'yarn.scheduler.minimum-allocation-mb': '128',
};

type ApplicationId = NonNullable<Decoded<(typeof protocol)['methods']['getNewApplication'][1]>['application_id']>;

/** A cluster and how it is spoken to. */
interface Side {
  readonly clients: HadoopClients;
  /** Where ApplicationClientProtocol is served. */
  readonly address: string;
}

/** Submissions a second, of masters outside the cluster, each until it waits for its master, as `YarnClient` does. */
async function submissions({ address }: Side): Promise<number> {
  const submitted: ApplicationId[] = [];
  const begun = performance.now();
  await Promise.all(
    Array.from({ length: submitters }, async () => {
      using client = RpcTestClient.named(address, 'root', protocol.name);
      for (let own = 0; own < submissionsOfEach; own++) submitted.push(await submission(client));
    }),
  );
  const seconds = (performance.now() - begun) / 1000;
  using client = RpcTestClient.named(address, 'root', protocol.name);
  for (const application_id of submitted) await client.call(protocol, 'forceKillApplication', { application_id });
  return submitted.length / seconds;
}

async function submission(client: RpcTestClient): Promise<ApplicationId> {
  const { application_id } = await client.call(protocol, 'getNewApplication', {});
  if (!application_id) throw new Error('there is no new application');
  await client.call(protocol, 'submitApplication', {
    application_submission_context: {
      application_id,
      application_name: 'bench',
      queue: 'default',
      unmanaged_am: true,
      am_container_spec: {},
      resource: { memory: 128, virtual_cores: 1 },
    },
  });
  for (;;) {
    const { application_report: report } = await client.call(protocol, 'getApplicationReport', { application_id });
    if (!['NEW', 'NEW_SAVING', 'SUBMITTED'].includes(report?.yarn_application_state ?? 'NEW')) return application_id;
    await sleep(lookMs);
  }
}

/** The same work on both in turn, so often; each one's middle round. */
async function inTurn(sides: readonly Side[], work: (side: Side, round: string) => Promise<number>): Promise<number[]> {
  const seconds = sides.map((): number[] => []);
  for (let round = 0; round < rounds; round++)
    for (const [index, side] of sides.entries()) seconds[index]?.push(await work(side, `${round}-${index}`));
  return seconds.map((values) => percentile(values, 0.5));
}

async function measures(sides: readonly Side[], folder: string): Promise<Measure[]> {
  const measure = (name: string, unit: string, [value = Number.NaN, peer]: readonly number[]): Measure => ({
    name,
    unit,
    value,
    ...(peer === undefined ? {} : { peer }),
  });
  const words = join(folder, 'words');
  mkdirSync(words);
  for (let file = 0; file < 3; file++)
    writeFileSync(join(words, `${file}.txt`), 'the quick brown fox jumps over the lazy dog\n'.repeat(800));
  const found: Measure[] = [];
  const say = (one: Measure): void => {
    found.push(one);
    console.error(`${one.name}: ${one.value.toFixed(1)}${one.peer === undefined ? '' : ` (Hadoop ${one.peer.toFixed(1)})`} ${one.unit}`);
  };
  const rates: number[] = [];
  for (const side of sides) {
    await submissions(side);
    rates.push(await submissions(side));
  }
  say(measure(`submissions of ${submitters} clients, to where they wait for their master`, 'applications/s', rates));
  const shell = await inTurn(sides, ({ clients }) => distributedShell(clients, 'true', containers));
  say(measure(`DistributedShell: ${containers} containers of \`true\``, 's', shell));
  const count = await inTurn(sides, ({ clients }, round) => exampleJob(clients, 'wordcount', words, join(folder, `counted-${round}`)));
  say(measure('word count of three files of 35 KB', 's', count));
  if (hasSpark()) say(measure('pi by Spark, two executors', 's', await inTurn(sides, ({ clients }) => sparkPi(clients, folder, 20))));
  const rows = String((megabytes * 1e6) / rowBytes);
  const data = join(folder, 'rows');
  await exampleJob(sides[0]!.clients, 'teragen', '-Dmapreduce.job.maps=2', rows, data);
  const sort = await inTurn(sides, ({ clients }, round) =>
    // On a local file system tasks do not find the sampled partitions, whatever the cluster.
    exampleJob(
      clients,
      'terasort',
      '-Dmapreduce.job.reduces=2',
      '-Dmapreduce.terasort.simplepartitioner=true',
      data,
      join(folder, `sorted-${round}`),
    ),
  );
  say(measure(`TeraSort of ${megabytes} MB`, 's', sort));
  return found;
}

/** Heddle beside Hadoop where it is compared; without Hadoop's jars nothing can be measured. */
export async function programs(compared: boolean): Promise<Measure[]> {
  await fetchPeer();
  const folder = mkdtempSync(join(tmpdir(), 'bench-programs-'));
  const [client, masters, history] = await freePorts(3);
  await using cluster = await startProcesses({
    mode: 'none',
    settings: {
      ...settings,
      'yarn.resourcemanager.address': `127.0.0.1:${client}`,
      'yarn.resourcemanager.scheduler.address': `127.0.0.1:${masters}`,
      'yarn.resourcemanager.admin.address': '127.0.0.1:0',
      'mapreduce.jobhistory.address': `127.0.0.1:${history}`,
    },
  });
  copyFileSync(peerFiles.queues, join(cluster.confDir, 'capacity-scheduler.xml'));
  let peer: Peer | undefined;
  try {
    await cluster.start('up');
    const confDir = join(folder, 'clients');
    const { code, output } = await cluster.heddle('config', 'client', confDir, '--class-path', `${peerFiles.lib}/*`);
    if (code !== 0) throw new Error(output);
    const sides: Side[] = [{ clients: { confDir, lib: peerFiles.lib }, address: `127.0.0.1:${client}` }];
    if (compared) {
      peer = await startPeer(settings, ['rm', 'nm', 'jhs']);
      sides.push({ clients: { confDir: peerFiles.confDir, lib: peerFiles.lib }, address: '127.0.0.1:8032' });
    }
    return await measures(sides, folder);
  } finally {
    await peer?.close();
    rmSync(folder, { recursive: true, force: true });
  }
}
