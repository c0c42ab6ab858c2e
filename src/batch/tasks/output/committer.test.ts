// Output becomes visible with its task's commit and its job's commit, and not before: both algorithms of FileOutputCommitter.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import fs, {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { after, describe, test } from 'node:test';
import fc from 'fast-check';
import { formatAttemptId, formatTaskId } from '../task-ids.ts';
import { type CommitterOptions, OutputCommitter } from './committer.ts';

fc.configureGlobal({ seed: Number(process.env['HEDDLE_TEST_SEED'] ?? 20_261_122) });

const scratch = mkdtempSync(join(tmpdir(), 'heddle-committer-'));
after(() => rmSync(scratch, { recursive: true }));
let serial = 0;
const newFolder = () => join(scratch, String(++serial));

const algorithms = [1, 2] as const;
const taskId = (index: number) => formatTaskId('job_1700000000000_0001', 'REDUCE', index);
const attemptId = (index: number, number = 0) => formatAttemptId(taskId(index), number);

const committerOf = (outputFolder: string, options: Partial<CommitterOptions> = {}) =>
  new OutputCommitter({ outputFolder, algorithm: 2, generation: 1, markSuccess: true, ...options });

/** All files below a folder, by their path in it, with their text. */
function filesBelow(folder: string): Record<string, string> {
  if (!existsSync(folder)) return {};
  const files: Record<string, string> = {};
  for (const name of readdirSync(folder, { recursive: true, encoding: 'utf8' }).sort()) {
    const path = join(folder, name);
    if (statSync(path).isFile()) files[relative(folder, path)] = readFileSync(path, 'utf8');
  }
  return files;
}

/** Writes files into an attempt's work folder, as a task does. */
function write(committer: OutputCommitter, attempt: string, files: Record<string, string>): void {
  for (const [name, text] of Object.entries(files)) {
    const path = join(committer.workFolder(attempt)!, name);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
  }
}

/** What a reader of the output folder sees: names that begin with `_` and `.` are hidden from the input of a next job. */
const visible = (folder: string) => Object.fromEntries(Object.entries(filesBelow(folder)).filter(([name]) => !/^[_.]/.test(name)));

const mounting = ['--user', '--map-root-user', '--mount', 'sh', '-c', 'mount -t tmpfs -o ro tmpfs "$1" && shift && exec "$@"', 'sh'];
const mayMount = spawnSync('unshare', [...mounting, scratch, 'true']).status === 0;

test('a job whose output would lie on a read-only file system is told so', { skip: mayMount ? false : 'needs leave to mount' }, () => {
  const folder = newFolder();
  mkdirSync(folder);
  const program = `const { OutputCommitter } = await import(${JSON.stringify(join(import.meta.dirname, 'committer.ts'))});
    new OutputCommitter({ outputFolder: ${JSON.stringify(join(folder, 'out'))}, algorithm: 2, generation: 1, markSuccess: true }).setupJob();`;
  const { stderr } = spawnSync('unshare', [...mounting, folder, process.execPath, '--input-type=module', '--eval', program], {
    encoding: 'utf8',
  });
  assert.match(stderr, /EROFS: read-only file system/);
});

test('a task that does not see the folder that its master made writes nothing', async () => {
  const root = newFolder();
  const of = (folder: string, generation = 1) => committerOf(join(root, folder), { generation });
  of('shared').setupJob();
  of('shared').checkSeen();
  for (const elsewhere of [of('own-disk'), of('shared', 2)])
    assert.throws(
      () => elsewhere.checkSeen(),
      /which the job's master made, is not on \S+: the output of a job has to lie where all nodes see it/,
    );
});

test('only the algorithms 1 and 2 exist', async () => {
  for (const algorithm of [0, 3, 1.5])
    assert.throws(() => committerOf(newFolder(), { algorithm }), /^Error: Only 1 or 2 algorithm version is supported$/);
});

test('a commit of algorithm 2 may be repeated, one of algorithm 1 may not', async () => {
  assert.equal(committerOf(newFolder(), { algorithm: 2 }).commitRepeatable, true);
  assert.equal(committerOf(newFolder(), { algorithm: 1 }).commitRepeatable, false);
});

test('a job without output writes nothing and everything succeeds', async () => {
  const committer = new OutputCommitter({ outputFolder: undefined, algorithm: 1, generation: 2, markSuccess: true });
  assert.equal(committer.workFolder(attemptId(0)), undefined);
  assert.equal(committer.needsTaskCommit(attemptId(0)), false);
  committer.setupJob();
  committer.checkSeen();
  await committer.commitTask(attemptId(0));
  committer.abortTask(attemptId(0));
  committer.recoverTask(taskId(0));
  committer.commitJob();
  committer.abortJob();
});

for (const algorithm of algorithms)
  describe(`algorithm ${algorithm}`, () => {
    test('output appears when the job is committed, with the marker of success, and nothing temporary stays', async () => {
      const folder = newFolder();
      const committer = committerOf(folder, { algorithm });
      committer.setupJob();
      write(committer, attemptId(0), { 'part-r-00000': 'a\n', '.part-r-00000.crc': 'sum', 'side/deep.txt': 'b\n' });
      assert.deepEqual(visible(folder), {});
      await committer.commitTask(attemptId(0));
      committer.commitJob();
      assert.deepEqual(filesBelow(folder), {
        '.part-r-00000.crc': 'sum',
        _SUCCESS: '',
        'part-r-00000': 'a\n',
        'side/deep.txt': 'b\n',
      });
      assert.ok(!existsSync(join(folder, '_temporary')));
    });

    test('the marker of success may be switched off', async () => {
      const folder = newFolder();
      const committer = committerOf(folder, { algorithm, markSuccess: false });
      committer.setupJob();
      committer.commitJob();
      assert.deepEqual(filesBelow(folder), {});
      assert.ok(existsSync(folder));
    });

    test('output of an attempt that was not committed or was aborted never appears', async () => {
      const folder = newFolder();
      const committer = committerOf(folder, { algorithm });
      committer.setupJob();
      write(committer, attemptId(0, 0), { 'part-r-00000': 'lost\n' });
      write(committer, attemptId(0, 1), { 'part-r-00000': 'kept\n' });
      write(committer, attemptId(1, 0), { 'part-r-00001': 'never\n' });
      committer.abortTask(attemptId(0, 0));
      await committer.commitTask(attemptId(0, 1));
      committer.commitJob();
      assert.deepEqual(visible(folder), { 'part-r-00000': 'kept\n' });
    });

    test('an attempt needs a commit once it has written, and again not after it', async () => {
      const committer = committerOf(newFolder(), { algorithm });
      committer.setupJob();
      assert.equal(committer.needsTaskCommit(attemptId(0)), false);
      await committer.commitTask(attemptId(0)); // nothing written: nothing to do
      write(committer, attemptId(0), { 'part-r-00000': 'a\n' });
      assert.equal(committer.needsTaskCommit(attemptId(0)), true);
      await committer.commitTask(attemptId(0));
      if (algorithm === 1) assert.equal(committer.needsTaskCommit(attemptId(0)), false);
    });

    test('the last commit of a task wins: a reduce that ran again replaces what its first attempt left', async () => {
      const folder = newFolder();
      const committer = committerOf(folder, { algorithm });
      committer.setupJob();
      for (const [number, text] of [
        [0, 'first\n'],
        [1, 'second\n'],
      ] as const) {
        write(committer, attemptId(0, number), { 'part-r-00000': text });
        await committer.commitTask(attemptId(0, number));
      }
      committer.commitJob();
      assert.deepEqual(visible(folder), { 'part-r-00000': 'second\n' });
    });

    test('an aborted job leaves no output of uncommitted tasks and no marker', async () => {
      const folder = newFolder();
      const committer = committerOf(folder, { algorithm });
      committer.setupJob();
      write(committer, attemptId(0), { 'part-r-00000': 'a\n' });
      await committer.commitTask(attemptId(0));
      write(committer, attemptId(1), { 'part-r-00001': 'b\n' });
      committer.abortJob();
      // Algorithm 2 has shown the first task's output already, as FileOutputCommitter documents.
      assert.deepEqual(filesBelow(folder), algorithm === 1 ? {} : { 'part-r-00000': 'a\n' });
      assert.ok(existsSync(folder), 'the output folder itself stays');
      committer.abortJob();
    });

    test('a file takes the place of a folder of the same name, and a folder that of a file', async () => {
      const folder = newFolder();
      const committer = committerOf(folder, { algorithm });
      committer.setupJob();
      write(committer, attemptId(0), { 'a/x': '1', b: '2' });
      await committer.commitTask(attemptId(0));
      write(committer, attemptId(1), { a: '3', 'b/y': '4' });
      await committer.commitTask(attemptId(1));
      committer.commitJob();
      assert.deepEqual(visible(folder), { a: '3', 'b/y': '4' });
    });

    test('the committed job shows the union of its committed tasks, whatever else was tried', async () => {
      const step = fc.record({
        task: fc.integer({ min: 0, max: 3 }),
        number: fc.integer({ min: 0, max: 2 }),
        end: fc.constantFrom('commit', 'abort', 'vanish'),
      });
      await fc.assert(
        fc.asyncProperty(fc.array(step, { maxLength: 12 }), async (steps) => {
          const folder = newFolder();
          const committer = committerOf(folder, { algorithm });
          committer.setupJob();
          const expected: Record<string, string> = {};
          const tried = new Set<string>();
          for (const [at, { task, number, end }] of steps.entries()) {
            const attempt = attemptId(task, number);
            // An attempt runs once, and a task commits once.
            if (tried.has(attempt) || expected[`part-r-0000${task}`] !== undefined) continue;
            tried.add(attempt);
            write(committer, attempt, { [`part-r-0000${task}`]: `step ${at}\n` });
            if (end === 'abort') committer.abortTask(attempt);
            if (end !== 'commit') continue;
            await committer.commitTask(attempt);
            expected[`part-r-0000${task}`] = `step ${at}\n`;
          }
          committer.commitJob();
          assert.deepEqual(visible(folder), expected);
        }),
        { numRuns: 40 },
      );
    });
  });

/** What reaches the disk, and in which order with what is renamed; folders by their names below `folder`. */
async function stepsOf(folder: string, work: () => Promise<void>): Promise<string[]> {
  const steps: string[] = [];
  const below = (path: string) => relative(folder, path) || '.';
  const opened = fs.promises.open;
  const { renameSync, fsyncSync } = fs;
  fs.promises.open = (async (path: string, ...more: []) => {
    const handle = await opened(path, ...more);
    const at = below(realpathSync(path));
    const { sync } = handle;
    handle.sync = () => sync.call(handle).then(() => void steps.push(`sync ${at}`));
    return handle;
  }) as typeof opened;
  fs.renameSync = (from, to) => {
    renameSync(from, to);
    steps.push(`rename ${below(String(from))} ${below(String(to))}`);
  };
  fs.fsyncSync = (file) => {
    fsyncSync(file);
    steps.push(`sync ${below(realpathSync(`/proc/self/fd/${file}`))}`);
  };
  syncBuiltinESMExports();
  try {
    await work();
  } finally {
    fs.promises.open = opened;
    Object.assign(fs, { renameSync, fsyncSync });
    syncBuiltinESMExports();
  }
  return steps;
}

test('what a task wrote is on the disk before it counts, and all of a job before its marker', async () => {
  const made = newFolder();
  const committer = committerOf(made, { algorithm: 1 });
  committer.setupJob();
  const folder = realpathSync(made);
  write(committer, attemptId(0), { 'part-r-00000': 'a', 'side/deep': 'b' });
  const work = relative(folder, committer.workFolder(attemptId(0))!);
  const task = `_temporary/1/${taskId(0)}`;
  assert.deepEqual((await stepsOf(folder, () => committer.commitTask(attemptId(0)))).toSorted(), [
    `rename ${work} ${task}`,
    'sync _temporary/1',
    ...[work, `${work}/part-r-00000`, `${work}/side`, `${work}/side/deep`].map((path) => `sync ${path}`),
  ]);
  const job = await stepsOf(folder, async () => committer.commitJob());
  const marked = job.indexOf('sync _SUCCESS');
  for (const [from, to] of [
    [`${task}/part-r-00000`, 'part-r-00000'],
    [`${task}/side/deep`, 'side/deep'],
  ]) {
    const renamed = job.indexOf(`rename ${from} ${to}`);
    const synced = job.indexOf(`sync ${dirname(to!)}`, renamed);
    assert.ok(renamed >= 0 && synced > renamed && marked > synced, job.join(', '));
  }
  assert.ok(job.indexOf('sync .', marked) > marked, 'the name of the marker');
});

describe('after a new master took over', () => {
  test('algorithm 1 takes back what it has moved where the rest cannot be moved: half of an output is never seen', async () => {
    const folder = newFolder();
    const committer = committerOf(folder, { algorithm: 1 });
    committer.setupJob();
    write(committer, attemptId(0), { a: '1', 'inner/b': '2' });
    write(committer, attemptId(1), { 'to-nowhere/c': '3' });
    for (const index of [0, 1]) await committer.commitTask(attemptId(index));
    const before = filesBelow(folder);
    symlinkSync('nowhere', join(folder, 'to-nowhere'));
    assert.throws(() => committer.commitJob());
    rmSync(join(folder, 'to-nowhere'));
    assert.deepEqual(filesBelow(folder), before);
    committer.abortJob();
    assert.deepEqual(filesBelow(folder), {});
  });

  test('algorithm 1 takes over what tasks committed under the master before', async () => {
    const folder = newFolder();
    const first = committerOf(folder, { algorithm: 1 });
    first.setupJob();
    write(first, attemptId(0), { 'part-r-00000': 'a\n' });
    await first.commitTask(attemptId(0));
    write(first, attemptId(1), { 'part-r-00001': 'half' });
    const second = committerOf(folder, { algorithm: 1, generation: 2 });
    second.recoverTask(taskId(0));
    second.setupJob();
    assert.deepEqual(Object.keys(filesBelow(join(folder, '_temporary', '2'))), [`${taskId(0)}/part-r-00000`]);
    write(second, attemptId(1, 1000), { 'part-r-00001': 'b\n' });
    await second.commitTask(attemptId(1, 1000));
    second.commitJob();
    assert.deepEqual(visible(folder), { 'part-r-00000': 'a\n', 'part-r-00001': 'b\n' });
  });

  test('algorithm 1 finds output of the newest master that has it, also where masters in between did nothing', async () => {
    const folder = newFolder();
    for (const [generation, text] of [
      [1, 'oldest\n'],
      [2, 'older\n'],
    ] as const) {
      const committer = committerOf(folder, { algorithm: 1, generation });
      committer.setupJob();
      write(committer, attemptId(0, (generation - 1) * 1000), { 'part-r-00000': text });
      await committer.commitTask(attemptId(0, (generation - 1) * 1000));
    }
    const fifth = committerOf(folder, { algorithm: 1, generation: 5 });
    fifth.recoverTask(taskId(0));
    fifth.recoverTask(taskId(0));
    fifth.commitJob();
    assert.deepEqual(visible(folder), { 'part-r-00000': 'older\n' });
  });

  test('a task that committed nothing is taken over with nothing', async () => {
    const folder = newFolder();
    const second = committerOf(folder, { algorithm: 1, generation: 2 });
    second.recoverTask(taskId(0));
    second.setupJob();
    second.commitJob();
    assert.deepEqual(visible(folder), {});
  });

  test('with algorithm 2 there is nothing to take over', async () => {
    const folder = newFolder();
    const first = committerOf(folder);
    first.setupJob();
    write(first, attemptId(0), { 'part-r-00000': 'a\n' });
    await first.commitTask(attemptId(0));
    const before = filesBelow(folder);
    const second = committerOf(folder, { generation: 2 });
    second.recoverTask(taskId(0));
    assert.deepEqual(filesBelow(folder), before);
    second.commitJob();
    assert.deepEqual(visible(folder), { 'part-r-00000': 'a\n' });
  });

  test('a commit of algorithm 2 that was interrupted is done again with the same result', async () => {
    const folder = newFolder();
    const first = committerOf(folder);
    first.setupJob();
    write(first, attemptId(0), { 'part-r-00000': 'a\n', 'side/x': 'x\n' });
    await first.commitTask(attemptId(0));
    rmSync(join(folder, '_temporary', '1'), { recursive: true }); // the first master died in the midst of its cleaning up
    const second = committerOf(folder, { generation: 2 });
    second.setupJob();
    second.commitJob();
    second.commitJob();
    assert.deepEqual(filesBelow(folder), { _SUCCESS: '', 'part-r-00000': 'a\n', 'side/x': 'x\n' });
  });
});
