// Masters that die at any step of a job's commit, one after the other: the job ends with its whole output and the marker of success, or with
// neither the marker nor a word of success.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { seededRandom } from '../../lib/random.ts';
import { OutputCommitter } from '../tasks/output/committer.ts';
import { formatAttemptId, formatTaskId } from '../tasks/task-ids.ts';
import { CommitMarkers } from './commit-markers.ts';
import { startJob } from './job-start.ts';
import type { RecoveredTask } from './recovery.ts';

const scratch = fs.mkdtempSync(join(tmpdir(), 'heddle-commit-crashes-'));
after(() => fs.rmSync(scratch, { recursive: true }));
let serial = 0;

const changes = ['mkdirSync', 'renameSync', 'rmSync', 'rmdirSync', 'openSync'] as const;

class Death extends Error {}

/** Runs `work` until it has changed the disk `steps` times; the next change, and all after it, are not made. Answers whether it died. */
async function dyingAfter(steps: number, work: () => Promise<void>): Promise<boolean> {
  const real = changes.map((name) => fs[name]);
  let left = steps;
  for (const [i, name] of changes.entries())
    fs[name] = ((...words: unknown[]) => {
      // Files are opened to be written, folders to be brought to the disk.
      const isChange = name !== 'openSync' || words[1] !== 'r';
      if (isChange && left-- <= 0) throw new Death(name);
      // What is removed as a whole may be removed in part.
      if (name === 'rmSync' && left === 0) {
        removeSome(String(words[0]));
        throw new Death('in the midst');
      }
      return (real[i] as (...words: unknown[]) => unknown)(...words);
    }) as never;
  const removeSome = (path: string) => {
    const inside = fs.existsSync(path) && fs.statSync(path).isDirectory() ? fs.readdirSync(path) : [];
    if (inside[0] !== undefined) (real[2] as typeof fs.rmSync)(join(path, inside[0]), { recursive: true });
  };
  syncBuiltinESMExports();
  try {
    await work();
    return false;
  } catch (error) {
    if (!(error instanceof Death)) throw error;
    return true;
  } finally {
    for (const [i, name] of changes.entries()) fs[name] = real[i] as never;
    syncBuiltinESMExports();
  }
}

const jobId = 'job_1700000000000_0001';
const tasks = [0, 1, 2].map((index) => formatTaskId(jobId, 'REDUCE', index));

/** What is in the output, folders too. */
const content = (folder: string) =>
  (fs.existsSync(folder) ? fs.readdirSync(folder, { recursive: true }) : [])
    .map(String)
    .filter((name) => !name.startsWith('_temporary') && name !== '_SUCCESS')
    .sort();

const whole = tasks.flatMap((_, i) => [`part-r-0000${i}`, `deep`, `deep/side-${i}`, `empty-${i}`]);

async function aJob(algorithm: 1 | 2) {
  const [staging, output] = [join(scratch, `${++serial}-staging`), join(scratch, `${serial}-output`)];
  fs.mkdirSync(staging);
  const committer = (generation: number) => new OutputCommitter({ outputFolder: output, algorithm, generation, markSuccess: true });
  const first = committer(1);
  first.setupJob();
  for (const [i, task] of tasks.entries()) {
    const attempt = formatAttemptId(task, 0);
    const work = first.workFolder(attempt)!;
    fs.mkdirSync(join(work, 'deep'), { recursive: true });
    fs.mkdirSync(join(work, `empty-${i}`));
    fs.writeFileSync(join(work, `part-r-0000${i}`), `${i}`);
    fs.writeFileSync(join(work, 'deep', `side-${i}`), `${i}`);
    await first.commitTask(attempt);
  }
  /** One master, from its start to the end of the commit; answers how the job ended. */
  const master = async (generation: number): Promise<string> => {
    const commits = committer(generation);
    let end = 'none';
    let committing: Promise<void> | undefined;
    startJob({
      job: {
        start: () => {
          commits.setupJob();
          committing = new CommitMarkers(staging).around(commits);
        },
        forceEnd: (state) => {
          end = state;
        },
      },
      markers: new CommitMarkers(staging),
      committer: commits,
      tasks: new Map(tasks.map((task) => [task, {} as RecoveredTask])),
    });
    if (committing === undefined) return end;
    await committing;
    return 'SUCCEEDED';
  };
  return { output, master };
}

function check(output: string, end: string, how: string): void {
  const marked = fs.existsSync(join(output, '_SUCCESS'));
  if (end === 'SUCCEEDED') {
    assert.deepEqual(content(output), [...new Set(whole)].sort(), how);
    assert.ok(marked, how);
    assert.ok(!fs.existsSync(join(output, '_temporary')), how);
  } else {
    assert.equal(end, 'ERROR', how);
    assert.ok(!marked, how);
  }
}

for (const algorithm of [1, 2] as const)
  test(`algorithm ${algorithm}: a master that dies after any change of the disk`, async () => {
    const ends: string[] = [];
    for (let steps = 0; ; steps++) {
      const { output, master } = await aJob(algorithm);
      if (!(await dyingAfter(steps, async () => void (await master(1))))) break;
      const end = await master(2);
      check(output, end, `died after ${steps} changes`);
      ends.push(end);
    }
    // At least both markers, what is cleared away, and the marker of success; moves come on top.
    assert.ok(ends.length >= (algorithm === 1 ? 5 : 4), `${ends.length} steps`);
    if (algorithm === 2) assert.deepEqual([...new Set(ends)], ['SUCCEEDED']);
    // While outputs are being moved nobody may go on; once all are where they belong, the next master finishes.
    else assert.match(ends.join(' '), /^(SUCCEEDED )+(ERROR )+(SUCCEEDED ?)+$/);
  });

test('several masters that die one after the other, by chance', async () => {
  const seed = Number(process.env['HEDDLE_TEST_SEED'] ?? 20_261_123);
  for (let round = 0; round < 150; round++) {
    const random = seededRandom(seed + round);
    const { output, master } = await aJob(random.int(2) === 0 ? 1 : 2);
    let [generation, end] = [1, 'none'];
    const deaths: number[] = [];
    while (generation < 6) {
      deaths.push(random.int(12));
      const dies = await dyingAfter(deaths.at(-1)!, async () => {
        end = await master(generation);
      });
      if (!dies) break;
      generation++;
    }
    if (generation === 6) end = await master(generation);
    check(output, end, `HEDDLE_TEST_SEED=${seed}, round ${round}, deaths after ${deaths}`);
  }
});
