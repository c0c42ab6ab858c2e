// Jobs of Flink, unchanged and from PyPI, against Heddle: in each of Flink's ways to run on YARN a job counts numbers, with two slots.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { hadoopJars, peerPlaces, runOnCluster } from './applications.ts';

const version = '1.20.1';
/** Java 17 lets Flink serialize collections of its own only when it is told to. */
const opens = ['lang', 'util', 'time', 'net', 'util.concurrent'].map((name) => `--add-opens=java.base/java.${name}=ALL-UNNAMED`);

/** Runs the jobs; 0 where all ended as they have to. */
export function runFlink(words: readonly string[]): number {
  const { peer, home } = peerPlaces('flink', words);
  mkdirSync(home, { recursive: true });
  const libraries = flinkLibraries(home);
  for (const name of ['results', 'settings', 'classes']) rmSync(join(home, name), { recursive: true, force: true });
  for (const name of ['results', 'settings', 'classes']) mkdirSync(join(home, name));
  const settings = {
    'jobmanager.memory.process.size': '1024m',
    'taskmanager.memory.process.size': '1024m',
    'taskmanager.numberOfTaskSlots': '1',
    'parallelism.default': '2',
    'env.java.opts.all': opens.join(' '),
  };
  writeFileSync(
    join(home, 'settings/config.yaml'),
    Object.entries(settings)
      .map(([key, value]) => `${key}: ${value}\n`)
      .join(''),
  );
  const script = join(home, 'flink.sh');
  writeFileSync(script, inside, { mode: 0o755 });
  Object.assign(process.env, {
    FLINK_HOME: home,
    FLINK_CONF_DIR: join(home, 'settings'),
    FLINK_LIB_DIR: join(libraries, 'lib'),
    FLINK_PLUGINS_DIR: join(libraries, 'plugins'),
    FLINK_OPT_DIR: join(libraries, 'opt'),
    FLINK_OPENS: opens.join(' '),
    FLINK_JOB: join(import.meta.dirname, 'java/Remainders.java'),
  });
  const lib = hadoopJars(peer);
  // The job manager tells task managers where Hadoop's classes are, by the settings on its own class path.
  const classPath = `yarn.application.classpath=${join(home, 'conf')},${lib}/*`;
  return runOnCluster({ peer, home, lib, settings: [classPath], program: script, words: [], kills: [] });
}

/** Flink's jars, downloaded once. */
function flinkLibraries(home: string): string {
  const place = join(home, `flink-${version}`);
  if (!existsSync(place)) {
    console.log('Downloading Flink (about 230 MB) …');
    const words = [
      '-m',
      'pip',
      'install',
      '-q',
      '--disable-pip-version-check',
      '--no-deps',
      '--target',
      place,
      `apache-flink-libraries==${version}`,
    ];
    if (spawnSync(process.env['HEDDLE_PYTHON'] ?? 'python3', words, { stdio: 'inherit' }).status !== 0) {
      rmSync(place, { recursive: true, force: true });
      throw new Error('Flink could not be downloaded.');
    }
  }
  return join(place, 'pyflink');
}

/** Compiles the job, then runs it as a cluster of its own, as an application, and in a session that is there already. */
const inside = `#!/usr/bin/env bash
set -u
mkdir -p "$OUT"
cd "$FLINK_HOME"
javac -nowarn -d classes -cp "$FLINK_LIB_DIR/*" "$FLINK_JOB" && printf 'Main-Class: Remainders\\n' > classes/manifest &&
  jar cfm remainders.jar classes/manifest -C classes . || exit 1
export HADOOP_CONF_DIR=$CONF_DIR
flink() { # NAME CLASS WORDS…
  local name=$1
  shift
  timeout 600 java $FLINK_OPENS -cp "$FLINK_LIB_DIR/*:$CONF_DIR:$LIB/*" "$@" > "$OUT/$name.log" 2>&1 || { tail -n 20 "$OUT/$name.log"; echo "FAILED $name"; exit 1; }
}
counted() { # NAME NUMBERS: an application ends after its client did
  for try in $(seq 600); do
    [ "$(cat "results/$1" 2> /dev/null)" = "counted $2" ] && echo "ok $1" && return
    sleep 0.2
  done
  echo "FAILED $1: $(cat "results/$1" 2>&1)"
  exit 1
}
front=org.apache.flink.client.cli.CliFrontend
flink flink-per-job $front run -t yarn-per-job remainders.jar "$PWD/results/flink-per-job" 100000
counted flink-per-job 100000
flink flink-application $front run-application -t yarn-application remainders.jar "$PWD/results/flink-application" 100000
counted flink-application 100000
flink flink-session org.apache.flink.yarn.cli.FlinkYarnSessionCli -d
session=$(curl -fs 'http://127.0.0.1:8088/ws/v1/cluster/apps?states=RUNNING' | grep -o 'application_[0-9]*_[0-9]*' | head -n 1)
for run in 1 2; do
  flink flink-in-session-$run $front run -t yarn-session -Dyarn.application.id=$session remainders.jar "$PWD/results/flink-in-session-$run" 1000
  counted flink-in-session-$run 1000
done
`;
