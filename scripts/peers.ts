// Plays scenarios against real Hadoop now, then against Heddle, and compares the two (needs Java, Maven and the scripts of ../shared/peer).
//   npm run peers -- --only a,b [--scenarios DIR] [--out DIR] [--shared DIR]
//   npm run peers -- requests [--only a,b]     requests that no recording has (test/peers), of resource and node managers, timelines, histories, logs and masters of jobs
//   npm run peers -- applications [CASE …]    real applications that speak Hadoop RPC, against Heddle
//   npm run peers -- tez                      a real job of Tez against Heddle
//   npm run peers -- flink                    real jobs of Flink against Heddle
//   npm run peers -- history                  histories of batch jobs, read by Hadoop's history server and by Heddle's
//   npm run peers -- application-history [--record]  what Hadoop's timeline server tells over RPC, against what was recorded of it
// PEER_HOME (default: a folder of the system's temporary one) holds Hadoop's jars, settings and data; HBASE_HOME the same of HBase, in which
// version 2 of the timeline keeps its data.
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, realpathSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { readArguments } from './arguments.ts';
import { isolation } from './conformance/isolation.ts';
import { needsKerberos, principalsOf } from './conformance/kerberos.ts';
import type { ClusterDescription } from './conformance/peer-settings.ts';

if (process.argv[2] === 'applications') {
  const { runApplications } = await import('./peers/applications.ts');
  process.exit(runApplications(process.argv.slice(3)));
}
if (process.argv[2] === 'tez') {
  const { runTez } = await import('./peers/tez.ts');
  process.exit(runTez(process.argv.slice(3)));
}
if (process.argv[2] === 'flink') {
  const { runFlink } = await import('./peers/flink.ts');
  process.exit(runFlink(process.argv.slice(3)));
}
if (process.argv[2] === 'history') {
  const { runHistory } = await import('./peers/history.ts');
  process.exit(await runHistory(process.argv.slice(3)));
}
if (process.argv[2] === 'application-history') {
  const { runApplicationHistory } = await import('./peers/application-history.ts');
  process.exit(await runApplicationHistory(process.argv.slice(3)));
}
const root = join(import.meta.dirname, '..');
const isOfRequests = process.argv[2] === 'requests';
if (isOfRequests) process.argv.splice(2, 1);
const ownScenarios = join(root, 'test/peers');
const usage = `npm run peers -- [requests] [options]
  --only a,b        these scenarios only
  --scenarios DIR   scenarios to play (default: those of --shared; with requests: test/peers)
  --out DIR         where what both answer is written (default: conformance/out/peers)
  --shared DIR      folder with peer and conformance (default: ../shared)`;
const { values: options } = readArguments(usage, {
  options: {
    scenarios: { type: 'string' },
    only: { type: 'string' },
    out: { type: 'string', default: join(root, 'conformance/out/peers') },
    shared: { type: 'string', default: join(root, '../shared') },
  },
});
// The runner compares its own path with the one it was started by: a link would keep it from running.
const shared = existsSync(options.shared) ? realpathSync(options.shared) : resolve(options.shared);
const peer = join(shared, 'peer');
if (!existsSync(join(peer, 'peer.sh'))) {
  console.error(`${peer} does not hold peer.sh: name the folder above it with --shared DIR`);
  process.exit(2);
}
process.env['HEDDLE_CONFORMANCE_KITS'] = join(shared, 'conformance');
await import('./conformance/kit-resolver.ts');
const kits = join(import.meta.dirname, 'conformance/kit-resolver.ts');
const scenarioDir = resolve(options.scenarios ?? (isOfRequests ? ownScenarios : join(shared, 'conformance/scenarios')));
const golden = join(resolve(options.out), 'hadoop');
const home = process.env['PEER_HOME'] ?? join(tmpdir(), 'heddle-peer');
const environment = { ...process.env, PEER_HOME: home };
if (!existsSync(join(home, 'lib'))) {
  console.log('Downloading Hadoop (about 110 MB) …');
  if (spawnSync(join(peer, 'peer.sh'), ['fetch'], { stdio: 'inherit', env: environment }).status !== 0) process.exit(1);
}

const clusters = JSON.parse(readFileSync(join(shared, 'conformance/clusters.json'), 'utf8')) as Record<string, ClusterDescription>;
const hbaseHome = process.env['HBASE_HOME'] ?? join(tmpdir(), 'heddle-hbase');
const hbase = `"${peer}/hbase.sh"`;
/** Whether a cluster keeps its timeline in HBase. */
const needsHBase = (cluster: string): boolean => Object.values(clusters[cluster]?.yarn ?? {}).some((value) => value.includes('HBase'));

/** The settings of Hadoop's scripts with HBase, which is downloaded once. */
function withHBase(): NodeJS.ProcessEnv {
  if (!existsSync(join(hbaseHome, 'peer-lib'))) {
    console.log('Downloading HBase (about 120 MB) …');
    const env = { ...environment, HBASE_HOME: hbaseHome, PEER_LIB: join(home, 'lib') };
    if (spawnSync(join(peer, 'hbase.sh'), ['fetch'], { stdio: 'inherit', env }).status !== 0) process.exit(1);
  }
  return { ...environment, HBASE_HOME: hbaseHome, PEER_LIB: join(hbaseHome, 'peer-lib') };
}

const only = options.only?.split(',');
const prefix = isolation() ?? [];
for (const file of readdirSync(scenarioDir).filter((name) => name.endsWith('.mjs'))) {
  const { default: scenario } = await import(pathToFileURL(join(scenarioDir, file)).href);
  if (!scenario || (only && !only.includes(scenario.name))) continue;
  const out = join(golden, scenario.cluster);
  const node = `"${process.execPath}"`;
  const hooks = ['nm-start=up', 'nm-stop=stop', 'nm-kill=kill', 'exclude=exclude'].map((pair) => {
    const [hook, command] = pair.split('=');
    return `--hook ${hook}="${peer}/node.sh ${command}"`;
  });
  const hasHBase = needsHBase(scenario.cluster);
  const cluster = clusters[scenario.cluster];
  const kdc = `"${peer}/kdc.sh"`;
  // Hadoop's servers know each other by the names in their tickets.
  const realm = cluster && needsKerberos(cluster) ? { principals: principalsOf(cluster), home: join(home, 'kdc') } : undefined;
  const ofRealm = realm
    ? `--rm http://localhost:8088 --ats http://localhost:8188 --jhs http://localhost:19888 --hook spnego=${kdc}" negotiate"`
    : '';
  const script = [
    prefix.length ? 'ip link set lo up' : ':',
    ...(hasHBase ? [`rm -rf "${hbaseHome}/data"`, `${hbase} up`] : []),
    ...(realm ? [`${kdc} start`, `${kdc} keytab "${realm.home}/service.keytab" ${realm.principals.join(' ')}`] : []),
    `${node} "${peer}/cluster.mjs" up ${scenario.cluster}`,
    `${node} --import "${kits}" "${shared}/conformance/run.mjs" --scenarios "${scenarioDir}" --only ${scenario.name} --out "${out}" --hook batch="${peer}/batch.sh" ${hooks.join(' ')} ${ofRealm}`,
    `${node} "${peer}/cluster.mjs" down`,
    ...(hasHBase ? [`${hbase} down`] : []),
    ...(realm ? [`${kdc} stop`] : []),
  ].join('; ');
  const [command = 'bash', ...args] = [...prefix, 'bash', '-c', script];
  const env = hasHBase ? withHBase() : environment;
  spawnSync(command, args, { stdio: 'inherit', env: realm ? { ...env, KDC_HOME: realm.home } : env });
}

const accepted = isOfRequests ? ['--accept', join(ownScenarios, 'accepted.json')] : [];
const args = [
  '--scenarios',
  scenarioDir,
  '--golden',
  golden,
  '--out',
  join(resolve(options.out), 'heddle'),
  '--shared',
  shared,
  ...accepted,
];
const run = spawnSync(
  process.execPath,
  [join(root, 'scripts/conformance.ts'), ...args, ...(options.only ? ['--only', options.only] : [])],
  {
    stdio: 'inherit',
  },
);
process.exitCode = run.status ?? 1;
