// What the users of Hadoop's and Spark's own programs wait for, on both clusters in turn, and how many submissions each takes over Hadoop RPC.
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { RpcTestClient } from '../src/rpc/test-support/rpc-client.ts';
import type { Decoded } from '../src/wire/rpc/message.ts';
import { applicationClientProtocol as protocol } from '../src/wire/rpc/protocols/application-client.ts';
import { distributedShell, exampleJob, hasSpark, sparkPi } from './hadoop-clients.ts';
import { type Measure, percentile } from './measure.ts';
import { onBoth, type RpcSide, roomForAll } from './rpc-clusters.ts';

const megabytes = Number(process.env['HEDDLE_BENCH_TERASORT_MB'] ?? 1000);
const rounds = Number(process.env['HEDDLE_BENCH_ROUNDS'] ?? 3);
const rowBytes = 100;
const containers = 100;
const submitters = 16;
const submissionsOfEach = 25;
/** As long as Hadoop's client waits between two looks at what it submitted. */
const lookMs = 200;

type ApplicationId = NonNullable<Decoded<(typeof protocol)['methods']['getNewApplication'][1]>['application_id']>;

/** Submissions a second, of masters outside the cluster, each until it waits for its master, as `YarnClient` does. */
async function submissions({ address }: RpcSide): Promise<number> {
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
async function inTurn(sides: readonly RpcSide[], work: (side: RpcSide, round: string) => Promise<number>): Promise<number[]> {
  const seconds = sides.map((): number[] => []);
  for (let round = 0; round < rounds; round++)
    for (const [index, side] of sides.entries()) seconds[index]?.push(await work(side, `${round}-${index}`));
  return seconds.map((values) => percentile(values, 0.5));
}

/** A row of the table: Heddle's number, and Hadoop's where there is one. */
function row(name: string, unit: string, [value = Number.NaN, peer]: readonly number[]): Measure {
  console.error(`${name}: ${value.toFixed(1)}${peer === undefined ? '' : ` (Hadoop ${peer.toFixed(1)})`} ${unit}`);
  return { name, unit, value, ...(peer === undefined ? {} : { peer }) };
}

async function smallWork(sides: readonly RpcSide[], folder: string): Promise<Measure[]> {
  const words = join(folder, 'words');
  mkdirSync(words);
  for (let file = 0; file < 3; file++)
    writeFileSync(join(words, `${file}.txt`), 'the quick brown fox jumps over the lazy dog\n'.repeat(800));
  const rates: number[] = [];
  for (const side of sides) {
    await submissions(side);
    rates.push(await submissions(side));
  }
  const found = [row(`submissions of ${submitters} clients, to where they wait for their master`, 'applications/s', rates)];
  const shell = await inTurn(sides, ({ clients }) => distributedShell(clients, 'true', containers));
  found.push(row(`DistributedShell: ${containers} containers of \`true\` on a node of 8 cores`, 's', shell));
  const count = await inTurn(sides, ({ clients }, round) => exampleJob(clients, 'wordcount', words, join(folder, `counted-${round}`)));
  found.push(row('word count of three files of 35 KB', 's', count));
  if (hasSpark()) found.push(row('pi by Spark, two executors', 's', await inTurn(sides, ({ clients }) => sparkPi(clients, folder, 20))));
  return found;
}

async function sorted(sides: readonly RpcSide[], folder: string): Promise<Measure> {
  const data = join(folder, 'rows');
  await exampleJob(sides[0]!.clients, 'teragen', '-Dmapreduce.job.maps=2', String((megabytes * 1e6) / rowBytes), data);
  const seconds = await inTurn(sides, async ({ clients }, round) => {
    const result = join(folder, `sorted-${round}`);
    // On a local file system tasks do not find the sampled partitions, whatever the cluster.
    const settings = ['-Dmapreduce.job.reduces=2', '-Dmapreduce.terasort.simplepartitioner=true'];
    const took = await exampleJob(clients, 'terasort', ...settings, data, result);
    rmSync(result, { recursive: true });
    return took;
  });
  return row(`TeraSort of ${megabytes} MB`, 's', seconds);
}

/** Heddle beside Hadoop where it is compared; without Hadoop's jars nothing can be measured. */
export async function programs(compared: boolean): Promise<Measure[]> {
  const usual = await onBoth(compared, {}, async (sides, folder) => [...(await smallWork(sides, folder)), await sorted(sides, folder)]);
  const roomy = await onBoth(compared, roomForAll, (sides) =>
    inTurn(sides, ({ clients }) => distributedShell(clients, 'true', containers)),
  );
  return [...usual, row(`DistributedShell: ${containers} containers of \`true\` on a node with room for all`, 's', roomy)];
}
