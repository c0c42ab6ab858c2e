// What is heard of changes in folders that users of the machine may write to.
import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { it } from 'node:test';
import { FolderWatch } from './folder-watch.ts';

/** A watched folder; `heard` resolves at the next change. */
function aWatch() {
  const root = mkdtempSync(join(tmpdir(), 'heddle-watch-'));
  let next = Promise.withResolvers<void>();
  const watch = new FolderWatch(
    root,
    () => {
      next.resolve();
      next = Promise.withResolvers();
    },
    (error) => assert.fail(error),
  );
  const at = (name: string) => ({ path: join(root, name), inode: statSync(join(root, name)).ino });
  return {
    root,
    watch,
    at,
    /** What is heard of a change that this makes. */
    async hears(change: () => void) {
      const { promise } = next;
      change();
      await promise;
    },
    [Symbol.dispose]() {
      watch.close();
      rmSync(root, { recursive: true });
    },
  };
}

it('hears of new folders, and of files in those that it follows', async () => {
  using at = aWatch();
  await at.hears(() => mkdirSync(join(at.root, 'ann')));
  assert.equal(at.watch.follow([at.at('ann')]), true);
  assert.equal(at.watch.follow([at.at('ann')]), false, 'nothing new');
  await at.hears(() => writeFileSync(join(at.root, 'ann', 'file'), ''));
});

it('follows the folder that took the place of another', async () => {
  using at = aWatch();
  mkdirSync(join(at.root, 'ann'));
  at.watch.follow([at.at('ann')]);
  renameSync(join(at.root, 'ann'), join(at.root, 'aside'));
  mkdirSync(join(at.root, 'ann'));
  await at.hears(() => writeFileSync(join(at.root, 'else'), ''));
  assert.equal(at.watch.follow([at.at('ann')]), true);
  await at.hears(() => writeFileSync(join(at.root, 'ann', 'file'), ''));
});

it('goes on where a folder cannot be watched, and does not try it again', async () => {
  using at = aWatch();
  mkdirSync(join(at.root, 'ann'));
  const gone = { path: join(at.root, 'gone'), inode: 1 };
  assert.equal(at.watch.follow([gone, at.at('ann')]), true);
  assert.equal(at.watch.follow([gone, at.at('ann')]), false);
  await at.hears(() => writeFileSync(join(at.root, 'ann', 'file'), ''));
});
