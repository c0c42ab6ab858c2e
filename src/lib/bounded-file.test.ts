import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { appendFileSync, mkdtempSync, rmSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { BoundedFile, FileTooLong, readBounded } from './bounded-file.ts';

const folder = mkdtempSync(join(tmpdir(), 'bounded-file-'));
after(() => rmSync(folder, { recursive: true }));
const path = join(folder, 'file');

describe('a file that somebody else wrote', () => {
  it('is read whole up to the limit, and not beyond it, though it takes no room on the disk', async () => {
    writeFileSync(path, 'words');
    assert.equal((await readBounded(path, { mostBytes: 5 })).toString(), 'words');
    await assert.rejects(readBounded(path, { mostBytes: 4 }), FileTooLong);
    truncateSync(path, 2 ** 40);
    await assert.rejects(readBounded(path, { mostBytes: 2 ** 30 }), /has 1099511627776 bytes, and at most 1073741824 are read/);
  });

  it('is read as long as it was when it was opened, whatever its owner does meanwhile', async () => {
    writeFileSync(path, 'words');
    const grown = await readBounded(path, { mostBytes: 5, reserve: async () => appendFileSync(path, ' and more') });
    assert.equal(grown.toString(), 'words');
    const shrunk = await readBounded(path, { mostBytes: 100, reserve: async () => truncateSync(path, 3) });
    assert.equal(shrunk.toString(), 'wor');
  });

  it('ends where a hole begins, of which nothing is kept', async () => {
    for (const written of [0, 5, 65_536, 3_000_000]) {
      writeFileSync(path, Buffer.alloc(written, 'w'));
      truncateSync(path, 2 ** 28);
      const read = await readBounded(path, { mostBytes: 2 ** 28 });
      const end = Math.ceil(written / 65_536) * 65_536;
      assert.equal(read.length, end);
      assert.equal(read.buffer.byteLength <= 2 * Math.max(end, 8192), true);
      assert.equal(read.subarray(0, written).equals(Buffer.alloc(written, 'w')), true);
    }
    writeFileSync(path, Buffer.concat([Buffer.alloc(65_535), Buffer.from('w'), Buffer.alloc(65_535)]));
    assert.equal((await readBounded(path, { mostBytes: 2 ** 28 })).length, 131_071, 'few zeros are no hole');
  });

  it('is not read where there is no room for it', async () => {
    writeFileSync(path, 'words');
    const reserve = () => Promise.reject(new Error('no room'));
    await assert.rejects(readBounded(path, { mostBytes: 100, reserve }), /no room/);
  });

  it('is there piece by piece, those that came before unchanged, until it is left', async () => {
    const written = Buffer.from(Array.from({ length: 7_000_001 }, (_, at) => 1 + (at % 251)));
    writeFileSync(path, written);
    let pieces = 0;
    {
      await using file = await BoundedFile.open(path, { mostBytes: 2 ** 28 });
      for (; !file.isWhole; pieces++) {
        await file.more();
        assert.equal(file.bytes.equals(written.subarray(0, file.bytes.length)), true);
      }
      assert.equal(file.bytes.length, written.length);
      await file.more();
    }
    assert.ok(pieces > 2, `${pieces} pieces`);
    const left = await BoundedFile.open(path, { mostBytes: 2 ** 28 });
    await left[Symbol.asyncDispose]();
    assert.ok(left.bytes.length < written.length);
  });

  it('tells what fails while it is read', async (context) => {
    writeFileSync(path, 'words');
    const handle = await open(path);
    context.mock.method(Object.getPrototypeOf(handle), 'read', () => Promise.reject(Object.assign(new Error('EIO'), { code: 'EIO' })), {
      times: 1,
    });
    await handle.close();
    await assert.rejects(readBounded(path, { mostBytes: 100 }), { code: 'EIO' });
  });

  it('is neither a link nor a pipe', async () => {
    const link = join(folder, 'link');
    symlinkSync(path, link);
    await assert.rejects(readBounded(link, { mostBytes: 100 }), { code: 'ELOOP' });
    const pipe = join(folder, 'pipe');
    execFileSync('mkfifo', [pipe]);
    await assert.rejects(readBounded(pipe, { mostBytes: 100 }), { code: 'EINVAL' });
  });
});
