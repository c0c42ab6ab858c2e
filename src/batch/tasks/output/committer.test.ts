import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { OutputCommitter } from './committer.ts';

test('a task that does not see the folder that its master made writes nothing', () => {
  const root = mkdtempSync(join(tmpdir(), 'committer-'));
  const committerOf = (folder: string, generation = 1) =>
    new OutputCommitter({ outputFolder: join(root, folder), algorithm: 2, generation, markSuccess: true });
  committerOf('shared').setupJob();
  committerOf('shared').checkSeen();
  for (const elsewhere of [committerOf('own-disk'), committerOf('shared', 2)])
    assert.throws(
      () => elsewhere.checkSeen(),
      /which the job's master made, is not on \S+: the output of a job has to lie where all nodes see it/,
    );
  new OutputCommitter({ outputFolder: undefined, algorithm: 2, generation: 1, markSuccess: true }).checkSeen();
  rmSync(root, { recursive: true });
});
