import assert from 'node:assert/strict';
import { chownSync, existsSync, mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
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

describe('a folder inside another', () => {
  it('is made where it is absent, or has to be there', async () => {
    using at = tree();
    await assert.rejects(folderInside(at.root, ['a', 'b']), { code: 'ENOENT' });
    for (let time = 0; time < 2; time++) {
      await using held = await folderInside(at.root, ['a', 'b'], { make: 0o700 });
      writeFileSync(join(held.path, String(time)), '');
    }
    assert.deepEqual(readdirSync(join(at.root, 'a/b')), ['0', '1']);
  });

  it('is never reached over a link, nor by a name that leads up', async () => {
    using at = tree();
    symlinkSync(at.outside, join(at.root, 'link'));
    mkdirSync(join(at.outside, 'inner'));
    for (const names of [['link'], ['link', 'inner'], ['link', 'new'], ['..', 'outside'], ['.'], [''], ['../outside'], ['a\0']])
      await assert.rejects(folderInside(at.root, names, { make: 0o700 }), names.join());
    assert.deepEqual(readdirSync(at.outside), ['inner']);
  });

  it('stays the one that was found when its path is swapped for a link', { skip: !existsSync('/proc/self/fd') }, async () => {
    using at = tree();
    await using held = await folderInside(at.root, ['a', 'b'], { make: 0o700 });
    renameSync(join(at.root, 'a'), join(at.root, 'moved'));
    symlinkSync(at.outside, join(at.root, 'a'));
    mkdirSync(join(at.outside, 'b'));
    writeFileSync(join(held.path, 'file'), '');
    assert.deepEqual([readdirSync(join(at.root, 'moved/b')), readdirSync(join(at.outside, 'b'))], [['file'], []]);
  });

  it('is not taken from a stranger where owners are looked at', { skip: process.getuid?.() !== 0 }, async () => {
    using at = tree();
    mkdirSync(join(at.root, 'ann'));
    chownSync(join(at.root, 'ann'), 61_666, 61_666);
    await assert.rejects(folderInside(at.root, ['ann', 'logs'], { make: 0o700, ownersOnly: true }), /belongs to another user \(61666\)/);
    assert.deepEqual(readdirSync(join(at.root, 'ann')), []);
    // Where the whole tree is that user's, so is everything in it.
    chownSync(at.root, 61_666, 61_666);
    await using held = await folderInside(at.root, ['ann', 'logs'], { make: 0o700, ownersOnly: true });
    assert.ok(existsSync(held.path));
  });
});
