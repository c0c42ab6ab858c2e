// Plays one scenario against a Heddle started for it: settings, daemons, run.mjs, end.
//   node run-one.ts '{"name":…,"clusterName":…,"scenarios":…,"shared":…,"home":…,"out":…}'
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { answers, startHeddle, stopHeddle } from './daemons.ts';
import { needsKerberos, principalsOf } from './kerberos.ts';
import { type ClusterDescription, writeClusterSettings } from './peer-settings.ts';

/** What `conformance.ts` hands to the process of one scenario. */
export interface RunOne {
  name: string;
  clusterName: string;
  scenarios: string;
  shared: string;
  home: string;
  out: string;
  timeLimitMs: number;
  /** Settings laid over the cluster's, as `--set` takes them. */
  set: string[];
}

const ready: Record<string, { url: string; accepts?: (text: string) => boolean }> = {
  ats: { url: 'http://127.0.0.1:8188/ws/v1/timeline' },
  rm: { url: 'http://127.0.0.1:8088/ws/v1/cluster/info' },
  nm: { url: 'http://127.0.0.1:8088/ws/v1/cluster/nodes?states=RUNNING&user.name=root', accepts: (text) => text.includes('RUNNING') },
  jhs: { url: 'http://127.0.0.1:19888/ws/v1/history/info' },
  atsreader: { url: 'http://127.0.0.1:8198/ws/v2/timeline' },
};

/** What stands for `ready` where that needs a ticket. */
const readyWithoutTicket: typeof ready = {
  nm: { url: 'http://127.0.0.1:8042/ready', accepts: (text) => text.includes('"ready":true') },
};

const job = JSON.parse(process.argv[2] ?? '{}') as RunOne;
const clusters = JSON.parse(readFileSync(join(job.shared, 'conformance/clusters.json'), 'utf8'));
const cluster: ClusterDescription | undefined = clusters[job.clusterName];
if (!cluster) throw new Error(`clusters.json knows no cluster ${job.clusterName}`);
/** Where this scenario's own realm is kept; undefined where nobody needs tickets. */
const kdcHome = needsKerberos(cluster) ? join(job.home, 'kdc') : undefined;
const kdcScript = join(job.shared, 'peer/kdc.sh');
const kdc = (...args: string[]) => {
  const { status, stdout, stderr } = spawnSync(kdcScript, args, { encoding: 'utf8' });
  if (status !== 0) throw new Error(`kdc.sh ${args[0]}: ${stdout}${stderr}`);
};
if (kdcHome) {
  process.env['KDC_HOME'] = kdcHome;
  process.env['KRB5_CONFIG'] = join(kdcHome, 'krb5.conf');
  kdc('start');
  kdc('keytab', join(kdcHome, 'service.keytab'), ...principalsOf(cluster));
}
const { confDir, dataDir } = writeClusterSettings({ home: job.home, shared: job.shared, cluster, common: clusters.common });

const set = job.set.flatMap((setting) => ['--set', setting]);
/** Whether the scenario stops node 0, which then has to be a process of its own. */
const stopsNode0 = readdirSync(job.scenarios).some((file) => {
  const text = file.endsWith('.mjs') ? readFileSync(join(job.scenarios, file), 'utf8') : '';
  return text.includes(`name: '${job.name}'`) && /'nm-(stop|kill)', \[?'0'/.test(text);
});
let heddle: ChildProcess;
if (stopsNode0) {
  heddle = startHeddle(job.home, 'heddle', [
    'up',
    '--conf',
    confDir,
    '--data',
    dataDir,
    ...set,
    '--set',
    'heddle.roles=timeline,resource-manager,history',
  ]);
  startHeddle(job.home, 'node-manager0', ['start', 'node-manager', '--conf', confDir, '--data', dataDir, ...set]);
} else heddle = startHeddle(job.home, 'heddle', ['up', '--conf', confDir, '--data', dataDir, ...set]);
const daemons = (cluster.daemons ?? (cluster.nodes === 0 ? 'rm' : 'rm nm')).split(' ');
let ended = false;
heddle.on('exit', () => {
  ended = true;
});
await Promise.all(
  daemons.map(async (daemon) => {
    const probe = (kdcHome && readyWithoutTicket[daemon]) || ready[daemon];
    if (probe && !(await answers(probe.url, 60_000, probe.accepts, () => ended))) console.log(`${job.name}: ${daemon} does not answer`);
  }),
);
if (ended) console.log(`${job.name}: Heddle did not start:\n${readFileSync(join(job.home, 'heddle.log'), 'utf8').slice(-3000)}`);

const hook = (kind: string) => ['--hook', `${kind}="${process.execPath}" "${join(import.meta.dirname, 'hook.ts')}" ${kind}`];
const runner = spawn(
  process.execPath,
  [
    '--import',
    join(import.meta.dirname, 'kit-resolver.ts'),
    join(job.shared, 'conformance/run.mjs'),
    ...['--scenarios', job.scenarios, '--only', job.name, '--out', job.out],
    ...['batch', 'nm-start', 'nm-stop', 'nm-kill', 'exclude'].flatMap(hook),
    ...(kdcHome ? ['--hook', `spnego=${kdcScript} negotiate`] : []),
  ],
  {
    stdio: 'inherit',
    env: {
      ...process.env,
      HEDDLE_CONFORMANCE_HOME: job.home,
      HEDDLE_CONFORMANCE_KITS: join(job.shared, 'conformance'),
    },
  },
);
const limit = setTimeout(() => {
  console.log(`${job.name}: stopped after ${job.timeLimitMs / 1000} s`);
  runner.kill('SIGKILL');
}, job.timeLimitMs);
await new Promise((done) => runner.on('close', done));
clearTimeout(limit);
for (const file of existsSync(job.home) ? readdirSync(job.home) : [])
  if (file.endsWith('.pid')) await stopHeddle(job.home, file.replace('.pid', ''), 'SIGTERM', 5000);
if (kdcHome) kdc('stop');
process.exitCode = runner.exitCode ?? 1;
