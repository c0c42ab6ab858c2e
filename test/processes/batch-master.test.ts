import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { type ClusterProcesses, startProcesses, until } from '../support/processes.ts';
import { independentCount, resultCount } from '../support/words.ts';

/** Processes of this cluster whose command line has `part`, by /proc. */
function processesOf(cluster: ClusterProcesses, part: string): number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .filter((pid) => {
      try {
        const command = readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0');
        // The shell that starts a container names the program as well: only the program itself counts.
        return (
          command[0]!.endsWith('/node') &&
          command.some((word) => word.endsWith(part)) &&
          readFileSync(`/proc/${pid}/environ`, 'utf8').includes(cluster.home)
        );
      } catch {
        return false;
      }
    })
    .map(Number);
}

/** Input of three files in a folder of that name, and a streaming word count whose reducer stops until the file `go` is there. */
function slowWordCount(cluster: ClusterProcesses, name: string, ...settings: string[]) {
  const [input, output, go, mapped] = ['texts', 'words', 'go', 'mapped'].map((file) => join(cluster.home, name, file)) as [
    string,
    string,
    string,
    string,
  ];
  mkdirSync(input, { recursive: true });
  mkdirSync(mapped);
  for (let i = 0; i < 3; i++) writeFileSync(join(input, `${i}.txt`), `one two three file${i} one\n`.repeat(300));
  const mapper = `bash -c 'touch ${mapped}/$mapreduce_task_attempt_id; tr -s " " "\\n" | sed "s/$/\\t1/"'`;
  const reducer = `bash -c 'while [ ! -e ${go} ]; do sleep 0.1; done; awk -F"\\t" "{ n[\\$1] += \\$2 } END { for (w in n) printf \\"%s\\t%d\\n\\", w, n[w] }"'`;
  return { input, output, go, mapped, job: cluster.heddle('batch', 'streaming', input, output, mapper, reducer, ...settings) };
}

/** Whether the command of a reduce runs: the last task may still be a map. */
const reducerRuns = (go: string): boolean =>
  readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .some((pid) => {
      try {
        const [program, , script] = readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0');
        return program!.endsWith('bash') && script!.startsWith(`while [ ! -e ${go} ]`);
      } catch {
        return false;
      }
    });

async function killMaster(cluster: ClusterProcesses, reduceRuns: () => boolean): Promise<number> {
  const pid = await until(
    'a master whose reduce runs',
    async () => (reduceRuns() ? processesOf(cluster, 'application-master/main.ts')[0] : undefined),
    60_000,
  );
  process.kill(pid, 'SIGKILL');
  await until('its end', async () => !existsSync(`/proc/${pid}`));
  return pid;
}

describe('a job whose master', () => {
  let cluster: ClusterProcesses;
  before(async () => {
    cluster = await startProcesses();
  });
  after(() => cluster[Symbol.asyncDispose]());

  test('is killed with -9 goes on where it was: complete maps do not run again', async () => {
    const { input, output, go, mapped, job } = slowWordCount(cluster, 'killed-once');
    await killMaster(cluster, () => processesOf(cluster, 'tasks/main.ts').length === 1 && reducerRuns(go));
    await until(
      'the next master and its reduce',
      async () => processesOf(cluster, 'application-master/main.ts').length === 1 && processesOf(cluster, 'tasks/main.ts').length === 1,
      60_000,
    );
    writeFileSync(go, '');
    const { code, output: printed } = await job;
    assert.equal(code, 0, printed);
    assert.deepEqual(resultCount(output), independentCount(input));
    assert.equal(readdirSync(mapped).length, 3, 'no map ran twice');
  });

  test('dies too often fails with a diagnosis', async () => {
    const { mapped, job } = slowWordCount(cluster, 'killed-too-often', '-Dmapreduce.am.max-attempts=1');
    await killMaster(cluster, () => readdirSync(mapped).length >= 1);
    const { code, output: printed } = await job;
    assert.equal(code, 1, printed);
    assert.match(printed, /failed 1 times .*due to AM Container/);
  });
});
