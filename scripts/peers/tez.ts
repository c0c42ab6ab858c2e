// A job of Tez, unchanged and from Maven Central, against Heddle: words are counted and sorted, what tasks fetch goes over the shuffle port; and a
// job that wants a service of the node manager that is not there is refused in words that help.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { hadoopJars, peerPlaces, runOnCluster } from './applications.ts';

const version = '0.10.5';
const parts = ['api', 'common', 'dag', 'examples', 'mapreduce', 'runtime-internals', 'runtime-library'];
const wordsOfLine = ['ant', 'bee', 'cow'];
const lines = 6000;

/** Runs the jobs; 0 where both ended as they have to. */
export function runTez(words: readonly string[]): number {
  const { peer, home } = peerPlaces('tez', words);
  mkdirSync(home, { recursive: true });
  const jars = tezJars(home);
  for (const name of ['in', 'counted', 'staging', 'settings']) rmSync(join(home, name), { recursive: true, force: true });
  mkdirSync(join(home, 'settings'));
  writeFileSync(join(home, 'settings/tez-site.xml'), tezSettings(home, jars));
  mkdirSync(join(home, 'in'));
  for (const word of wordsOfLine) writeFileSync(join(home, 'in', word), `${word} ${word} dog\n`.repeat(lines));
  const script = join(home, 'tez.sh');
  writeFileSync(script, inside, { mode: 0o755 });
  const environment = { TEZ_HOME: home, TEZ_JARS: jars };
  Object.assign(process.env, environment);
  const status = runOnCluster({ peer, home, lib: hadoopJars(peer), settings: [], program: script, words: [], kills: [] });
  if (status !== 0) return status;
  const counted = readFileSync(join(home, 'counted/part-v002-o000-r-00000'), 'utf8').trim().split('\n').sort();
  const expected = [...wordsOfLine.map((word) => `${word}\t${2 * lines}`), `dog\t${wordsOfLine.length * lines}`].sort();
  if (counted.join('; ') !== expected.join('; ')) {
    console.log(`FAILED tez-wordcount: counted ${counted.join('; ')}`);
    return 1;
  }
  console.log('ok tez-wordcount');
  return 0;
}

/** Tez and what it needs, downloaded once. */
function tezJars(home: string): string {
  const jars = join(home, `tez-${version}`);
  if (existsSync(jars)) return jars;
  const dependencies = parts.map(
    (part) => `<dependency><groupId>org.apache.tez</groupId><artifactId>tez-${part}</artifactId><version>${version}</version></dependency>`,
  );
  const pom = join(home, 'pom.xml');
  writeFileSync(
    pom,
    `<project xmlns="http://maven.apache.org/POM/4.0.0"><modelVersion>4.0.0</modelVersion><groupId>peer</groupId><artifactId>tez</artifactId>
<version>1</version><packaging>pom</packaging><dependencies>${dependencies.join('\n')}</dependencies></project>\n`,
  );
  console.log('Downloading Tez (about 80 MB) …');
  const words = ['-q', '-B', '-f', pom, 'dependency:copy-dependencies', '-DincludeScope=runtime', `-DoutputDirectory=${jars}`];
  if (spawnSync('mvn', words, { stdio: 'inherit' }).status !== 0) {
    rmSync(jars, { recursive: true, force: true });
    throw new Error('Tez could not be downloaded.');
  }
  return jars;
}

function tezSettings(home: string, jars: string): string {
  // Java 17 lets no library define classes, which the pages of a master do.
  const open = '--add-opens=java.base/java.lang=ALL-UNNAMED';
  const settings: Readonly<Record<string, string>> = {
    'tez.ignore.lib.uris': 'true',
    'tez.cluster.additional.classpath.prefix': `${jars}/*:${home}/conf`,
    'tez.staging-dir': join(home, 'staging'),
    'tez.am.resource.memory.mb': '1024',
    'tez.task.resource.memory.mb': '512',
    'tez.runtime.io.sort.mb': '64',
    'tez.am.launch.cmd-opts': open,
    'tez.task.launch.cmd-opts': open,
    // All tasks run on one machine: without it they would read each other's files.
    'tez.runtime.optimize.local.fetch': 'false',
  };
  const properties = Object.entries(settings).map(([name, value]) => `<property><name>${name}</name><value>${value}</value></property>`);
  return `<configuration>${properties.join('\n')}</configuration>\n`;
}

/** Runs the example, then again with a service that nodes do not have. */
const inside = `#!/usr/bin/env bash
count() {
  timeout 240 java --add-opens=java.base/java.lang=ALL-UNNAMED -cp "$TEZ_HOME/settings:$CONF_DIR:$TEZ_JARS/*" \\
    org.apache.tez.examples.OrderedWordCount "$@" "file://$TEZ_HOME/in" "file://$TEZ_HOME/counted" > "$OUT/$name.log" 2>&1
}
mkdir -p "$OUT"
name=tez-wordcount
count || { tail -n 20 "$OUT/$name.log"; echo "FAILED $name"; exit 1; }
name=tez-shuffle-missing
count -Dtez.am.shuffle.auxiliary-service.id=tez_shuffle -Dtez.staging-dir="$TEZ_HOME/staging" && { echo "FAILED $name: it ended well"; exit 1; }
grep -q 'The auxService:tez_shuffle does not exist: .*tez.am.shuffle.auxiliary-service.id=mapreduce_shuffle' "$OUT/$name.log" ||
  { tail -n 20 "$OUT/$name.log"; echo "FAILED $name"; exit 1; }
echo "ok $name"
`;
