// Real applications that speak Hadoop RPC (Hadoop's commands, DistributedShell, MapReduce, Spark, masters of the kit) against Heddle: the
// cases of ../shared/peer/applications, in a network space of their own, where every role has YARN's own port.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { readArguments } from '../arguments.ts';
import { isolation } from '../conformance/isolation.ts';

const root = join(import.meta.dirname, '../..');

/** Settings that the cases are for, over those of `peer.sh configure` (see the README of the cases). */
const settings = [
  'yarn.timeline-service.enabled=false',
  'yarn.system-metrics-publisher.enabled=false',
  'yarn.resourcemanager.system-metrics-publisher.enabled=false',
  'yarn.timeline-service.generic-application-history.enabled=false',
  'yarn.nodemanager.aux-services=mapreduce_shuffle',
  'yarn.resourcemanager.opportunistic-container-allocation.enabled=true',
  'yarn.nodemanager.opportunistic-containers-max-queue-length=10',
];

/** How long the cluster may take to have its node, in tenths of a second. */
const startTries = 300;

/** Runs the cases; the exit status is that of the kit. */
export function runApplications(words: readonly string[]): number {
  const usage = `npm run peers -- applications [options] [CASE …]
  --home DIR        where settings, data, results and logs are (default: a folder of the system's temporary one)
  --shared DIR      folder with peer (default: ../shared)
  --set KEY=VALUE   a setting of cluster and clients over those of the cases; may come several times
  --times N         so often in a row on the same cluster (default: once)
  --kill A,B        kill -9 of all roles that many seconds after the cases began, and a start anew each time: containers go on
  Cases: as \`applications.sh list\` names them, a family's name for all of it; all without any.`;
  const { values, positionals } = readArguments(usage, {
    args: [...words],
    allowPositionals: true,
    options: {
      home: { type: 'string', default: join(tmpdir(), 'heddle-applications') },
      shared: { type: 'string', default: join(root, '../shared') },
      set: { type: 'string', multiple: true, default: [] },
      kill: { type: 'string', default: '' },
      times: { type: 'string', default: '1' },
    },
  });
  const kills = values.kill.split(',').filter((text) => text !== '');
  if (!kills.every((text) => /^\d{1,5}$/.test(text))) throw new Error(`--kill wants seconds apart by commas, not ${values.kill}`);
  if (!/^[1-9]\d?$/.test(values.times)) throw new Error(`--times wants a number, not ${values.times}`);
  const peer = join(resolve(values.shared), 'peer');
  const home = resolve(values.home);
  if (!existsSync(join(peer, 'applications/applications.sh')))
    throw new Error(`${peer} holds no applications: name the folder above it with --shared DIR`);
  const status = runOnCluster({
    peer,
    home,
    lib: fetched(peer, positionals),
    settings: values.set,
    program: join(peer, 'applications/applications.sh'),
    words: positionals,
    kills,
    times: values.times,
  });
  console.log(`The cluster's log is ${join(home, 'heddle.log')}; what the cases ran and printed is in ${join(home, 'out')}.`);
  return status;
}

/** Where a program that is tried against Heddle finds what it needs: the folder of `peer.sh`, and one of its own. @throws Error where there is no such folder */
export function peerPlaces(name: string, words: readonly string[]): { readonly peer: string; readonly home: string } {
  const usage = `npm run peers -- ${name} [options]
  --home DIR        where jars, settings, data and logs are (default: a folder of the system's temporary one)
  --shared DIR      folder with peer (default: ../shared)`;
  const { values } = readArguments(usage, {
    args: [...words],
    options: {
      home: { type: 'string', default: join(tmpdir(), `heddle-${name}`) },
      shared: { type: 'string', default: join(root, '../shared') },
    },
  });
  const peer = join(resolve(values.shared), 'peer');
  if (!existsSync(join(peer, 'peer.sh'))) throw new Error(`${peer} holds no peer.sh: name the folder above it with --shared DIR`);
  return { peer, home: resolve(values.home) };
}

/** What runs against a cluster of its own. */
interface ClusterRun {
  /** The folder of `peer.sh`. */
  readonly peer: string;
  /** Where settings, data, results and the log are. */
  readonly home: string;
  /** Hadoop's jars. */
  readonly lib: string;
  /** `KEY=VALUE` over the usual ones. */
  readonly settings: readonly string[];
  /** A program and its words; it finds `CONF_DIR`, `LIB` and `OUT` in its environment. */
  readonly program: string;
  readonly words: readonly string[];
  /** When everything is killed and started anew, in seconds. */
  readonly kills: readonly string[];
  /** How often the program runs. */
  readonly times?: string;
}

/** Starts a cluster in a network space of its own, where every role has YARN's port, and runs the program; its exit status. */
export function runOnCluster({ peer, home, lib, settings: more, program, words, kills, times = '1' }: ClusterRun): number {
  const prefix = isolation();
  if (!prefix) throw new Error('The system allows no network space of its own (unshare --net): the cases need YARN’s own ports.');
  for (const name of ['heddle', 'data', 'out']) rmSync(join(home, name), { recursive: true, force: true });
  mkdirSync(home, { recursive: true });
  const environment = {
    ...process.env,
    PEER_HOME: home,
    PEER_LIB: lib,
    PEER_CONF_STORE: 'file',
    PEER_MAPRED: 'mapreduce.job.emit-timeline-data=false',
  };
  const configured = spawnSync(join(peer, 'peer.sh'), ['configure', ...settings, ...more], { stdio: 'inherit', env: environment });
  if (configured.status !== 0) return configured.status ?? 1;
  const script = join(home, 'run.sh');
  writeFileSync(script, inside);
  const [command = '', ...before] = prefix;
  const run = spawnSync(command, [...before, 'bash', script, ...words], {
    stdio: 'inherit',
    env: {
      ...environment,
      CONF_DIR: join(home, 'conf'),
      LIB: lib,
      OUT: join(home, 'out'),
      HEDDLE_DATA: join(home, 'heddle'),
      HEDDLE_LOG: join(home, 'heddle.log'),
      HEDDLE: `${process.execPath} ${join(root, 'bin/heddle.js')}`,
      PROGRAM: program,
      KILLS: kills.join(' '),
      TIMES: times,
    },
  });
  return run.status ?? 1;
}

/** Starts a cluster, waits for its node and until nothing that ran is counted any more, runs the program, stops it; `$KILLS`: when it dies meanwhile, in seconds. */
const inside = `ip link set lo up
await() {
  for try in $(seq ${startTries}); do
    kill -0 $(cat "$PEER_HOME/cluster.pid") 2> /dev/null || { cat "$HEDDLE_LOG"; exit 1; }
    curl -fs http://127.0.0.1:8088/ws/v1/cluster/$2 | grep -q "$1" && break
    sleep 0.1
  done
}
begin() {
  $HEDDLE up --conf "$CONF_DIR" --data "$HEDDLE_DATA" >> "$HEDDLE_LOG" 2>&1 &
  echo $! > "$PEER_HOME/cluster.pid"
  await '"activeNodes":1' metrics
}
rm -f "$HEDDLE_LOG"
begin
began=$SECONDS
(
  for at in $KILLS; do
    while [ $((SECONDS - began)) -lt $at ]; do sleep 1; done
    kill -9 $(cat "$PEER_HOME/cluster.pid") && echo "kill -9 of the cluster after $((SECONDS - began)) s"
    begin
  done
) &
killing=$!
status=0
for time in $(seq $TIMES); do
  await '"aggregatedContainersPhysicalMemoryMB":0' nodes
  "$PROGRAM" "$@" || status=$?
done
[ -z "$KILLS" ] || [ $((SECONDS - began)) -gt \${KILLS##* } ] || echo "not every kill came: the cases ended after $((SECONDS - began)) s"
kill $killing 2> /dev/null
cluster=$(cat "$PEER_HOME/cluster.pid")
kill $cluster
for try in $(seq ${startTries}); do
  kill -0 $cluster 2> /dev/null || break
  sleep 0.1
done
exit $status
`;

/** Hadoop's jars, and PySpark where cases need it; their folder of jars. */
function fetched(peer: string, cases: readonly string[]): string {
  const lib = hadoopJars(peer);
  if (cases.length === 0 || cases.some((name) => name.startsWith('spark'))) {
    const got = spawnSync(join(peer, 'applications/applications.sh'), ['fetch'], { stdio: 'inherit' });
    if (got.status !== 0) throw new Error('PySpark could not be downloaded.');
  }
  return lib;
}

/** The folder of Hadoop's jars, downloaded where they are missing. */
export function hadoopJars(peer: string): string {
  const home = process.env['PEER_HOME'] ?? join(tmpdir(), 'heddle-peer');
  const lib = process.env['PEER_LIB'] ?? join(home, 'lib');
  if (!existsSync(lib)) {
    console.log('Downloading Hadoop (about 110 MB) …');
    const got = spawnSync(join(peer, 'peer.sh'), ['fetch'], { stdio: 'inherit', env: { ...process.env, PEER_HOME: home, PEER_LIB: lib } });
    if (got.status !== 0) throw new Error('Hadoop could not be downloaded.');
  }
  return lib;
}
