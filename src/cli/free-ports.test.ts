import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { PortBook } from './free-ports.ts';

const folder = mkdtempSync(join(tmpdir(), 'heddle-ports-'));
after(() => rmSync(folder, { recursive: true, force: true }));

describe('ports of a data folder', () => {
  it('are the same at the next start, but for one that another program has now', async () => {
    const first = new PortBook(folder);
    const before = [...(await first.take(['a', 'b'])), ...(await first.take(['c']))];
    assert.equal(new Set(before).size, 3);
    first.save();
    assert.deepEqual(await new PortBook(folder).take(['a', 'b', 'c']), before);

    const other = createServer();
    await new Promise<void>((resolve) => other.listen(before[1], '127.0.0.1', resolve));
    try {
      const [a, b, c] = await new PortBook(folder).take(['a', 'b', 'c']);
      assert.deepEqual([a, c], [before[0], before[2]]);
      assert.notEqual(b, before[1]);
    } finally {
      other.close();
    }
  });

  it('are free ones where what was remembered cannot be read or is given twice', async () => {
    const [port] = await new PortBook(folder).take(['a']);
    writeFileSync(join(folder, 'ports.json'), JSON.stringify({ a: port, b: port, c: -4, d: 'x' }));
    assert.equal(new Set(await new PortBook(folder).take(['a', 'b', 'c', 'd'])).size, 4);
    writeFileSync(join(folder, 'ports.json'), '[broken');
    assert.equal((await new PortBook(folder).take(['a'])).length, 1);
  });
});
