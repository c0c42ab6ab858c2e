import assert from 'node:assert/strict';
import { test } from 'node:test';
import { lastEventByte, logEvents, requestedRange } from './log-events.ts';

const events = async (bytes: Buffer[], start = 0) => {
  async function* pieces() {
    yield* bytes;
  }
  return Array.fromAsync(logEvents(pieces(), start));
};
const textOf = (event: string) => (JSON.parse(/^data: (.*)$/m.exec(event)?.[1] ?? '{}') as { text?: string }).text ?? '';

test('however the bytes are cut, no letter is, and ids count bytes', async () => {
  const text = 'aüß€😀\r\nz';
  const bytes = Buffer.from(text);
  for (let size = 1; size <= bytes.length; size++) {
    const pieces = Array.from({ length: Math.ceil(bytes.length / size) }, (_, index) => bytes.subarray(index * size, (index + 1) * size));
    const got = await events(pieces, 100);
    assert.equal(got.map(textOf).join(''), text);
    assert.equal(got.at(-1), `event: end\nid: ${100 + bytes.length}\ndata: {"bytes":${100 + bytes.length}}\n\n`);
  }
});

test('bytes that are no text come too, and silence is shown', async () => {
  assert.deepEqual(
    (await events([Buffer.from([0xff, 0xe2]), Buffer.alloc(0), Buffer.from([0x82])])).map((event) => event.split('\n')[0]),
    ['id: 1', ': still here', 'id: 3', 'event: end'],
  );
});

test('ranges and ids of callers are read, nonsense is not', () => {
  assert.deepEqual(requestedRange('bytes=2-5', 10), { from: 2, to: 6 });
  assert.deepEqual(requestedRange('bytes=2-', 10), { from: 2, to: 10 });
  assert.deepEqual(requestedRange('bytes=-20', 10), { from: 0, to: 10 });
  assert.deepEqual(requestedRange('bytes=20-30', 10), { from: 10, to: 10 });
  for (const bad of [undefined, 'bytes=-', 'bytes=1-2,4-5', 'lines=1-2', 'bytes=x-']) assert.equal(requestedRange(bad, 10), undefined);
  assert.deepEqual(['12', '', 'x', '-1', undefined].map(lastEventByte), [12, undefined, undefined, undefined, undefined]);
});
