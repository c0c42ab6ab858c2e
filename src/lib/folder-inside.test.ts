import assert from 'node:assert/strict';
import {
  chownSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  realpathSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { folderInside } from './folder-inside.ts';

/** A root folder, and one beside it that nothing may be written to. */
function tree() {
  const base = mkdtempSync(join(tmpdir(), 'inside-'));
  const [root, outside] = [join(base, 'root'), join(base, 'outside')];
  mkdirSync(root);
  mkdirSync(outside);
  return { root, outside, [Symbol.dispose]: () => rmSync(base, { recursive: true, force: true }) };
}

/** What is told of where the root really lies: nothing, the truth, and what was true once. */
const ways: Record<string, (root: string) => { realRoot?: string }> = {
  'a step at a time': () => ({}),
  'in one step': (root) => ({ realRoot: realpathSync(root) }),
  'whose root has moved': () => ({ realRoot: '/elsewhere' }),
};

for (const [way, known] of Object.entries(ways))
  describe(`a folder inside another, ${way}`, () => {
    it('is made where it is absent, or has to be there', async () => {
      using at = tree();
      await assert.rejects(folderInside(at.root, ['a', 'b'], known(at.root)), { code: 'ENOENT' });
      for (const names of [['a', 'b'], ['a', 'b'], ['a', 'c', 'd', 'e'], []]) {
        using held = await folderInside(at.root, names, { make: 0o700, ...known(at.root) });
        writeFileSync(join(held.path, `file ${readdirSync(held.path).length}`), '');
      }
      assert.deepEqual(
        [['a', 'b'], ['a'], ['a', 'c', 'd', 'e'], []].map((names) => readdirSync(join(at.root, ...names))),
        [['file 0', 'file 1'], ['b', 'c'], ['file 0'], ['a', 'file 1']],
      );
    });

    it('is never reached over a link, nor by a name that leads up', async () => {
      using at = tree();
      mkdirSync(join(at.outside, 'inner'));
      mkdirSync(join(at.root, 'a/inner'), { recursive: true });
      symlinkSync(at.outside, join(at.root, 'link'));
      // Where it leads is inside, too, but is another place.
      symlinkSync('a', join(at.root, 'alias'));
      symlinkSync(join(at.outside, 'absent'), join(at.root, 'nowhere'));
      const wrong = [['link'], ['link', 'inner'], ['link', 'new'], ['alias', 'inner'], ['alias', 'new'], ['nowhere'], ['nowhere', 'new']];
      for (const names of [...wrong, ['..', 'outside'], ['.'], [''], ['../outside'], ['a\0']])
        for (const make of [0o700, undefined])
          await assert.rejects(folderInside(at.root, names, { make, ...known(at.root) }), `${names} ${make}`);
      assert.deepEqual([readdirSync(at.outside), readdirSync(join(at.root, 'a'))], [['inner'], ['inner']]);
    });

    it('stays the one that was found when its path is swapped for a link', { skip: !existsSync('/proc/self/fd') }, async () => {
      using at = tree();
      mkdirSync(join(at.root, 'a/b'), { recursive: true });
      using held = await folderInside(at.root, ['a', 'b'], known(at.root));
      renameSync(join(at.root, 'a'), join(at.root, 'moved'));
      symlinkSync(at.outside, join(at.root, 'a'));
      mkdirSync(join(at.outside, 'b'));
      writeFileSync(join(held.path, 'file'), '');
      assert.deepEqual([readdirSync(join(at.root, 'moved/b')), readdirSync(join(at.outside, 'b'))], [['file'], []]);
    });
  });

describe('a folder inside another', () => {
  it('is not taken from a stranger where owners are looked at', { skip: process.getuid?.() !== 0 }, async () => {
    using at = tree();
    mkdirSync(join(at.root, 'ann'));
    chownSync(join(at.root, 'ann'), 61_666, 61_666);
    await assert.rejects(folderInside(at.root, ['ann', 'logs'], { make: 0o700, ownersOnly: true }), /belongs to another user \(61666\)/);
    assert.deepEqual(readdirSync(join(at.root, 'ann')), []);
    // Where the whole tree is that user's, so is everything in it.
    chownSync(at.root, 61_666, 61_666);
    using held = await folderInside(at.root, ['ann', 'logs'], { make: 0o700, ownersOnly: true });
    assert.ok(existsSync(held.path));
  });
});
