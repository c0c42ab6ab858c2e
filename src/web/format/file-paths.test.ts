import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isBinary, joined, pathBytes, pathParameter, stepsOf } from './file-paths.ts';

test('a path is text as far as it is UTF-8, and bytes where it is not', () => {
  assert.equal(joined('', { name: 'a b' }), 'a b');
  assert.equal(joined('a/b', { name: 'ü' }), 'a/b/ü');
  const odd = joined('a', { name: 'x\ufffd', nameBase64: Buffer.from('x\xff', 'latin1').toString('base64') });
  assert.equal(odd, `base64:${Buffer.from('a/x\xff', 'latin1').toString('base64')}`);
  assert.deepEqual(pathParameter(odd), { pathBase64: Buffer.from('a/x\xff', 'latin1').toString('base64') });
  const below = joined(odd, { name: 'y' });
  assert.equal(Buffer.from(pathBytes(below)).toString('latin1'), 'a/x\xff/y');
  assert.deepEqual(
    stepsOf(below).map(({ name }) => name),
    ['a', 'x\ufffd', 'y'],
  );
  assert.equal(stepsOf(below)[0]?.path, 'a');
  assert.equal(stepsOf(below)[1]?.path, odd);
  assert.deepEqual(stepsOf(''), []);
  // A name that looks like bytes of a path is itself told as bytes.
  const looks = joined('', { name: 'base64:AAAA' });
  assert.notEqual(looks, 'base64:AAAA');
  assert.equal(Buffer.from(pathBytes(looks)).toString(), 'base64:AAAA');
  assert.deepEqual(pathParameter('a&b'), { path: 'a&b' });
});

test('what is no text is told apart from what is', () => {
  const bytes = (text: string) => new TextEncoder().encode(text);
  for (const text of ['', 'plain\ttext\r\n', 'ünïcode 漢字', '\u001b[31mred\u001b[0m']) assert.equal(isBinary(bytes(text)), false, text);
  for (const binary of [Uint8Array.of(0x7f, 0x45, 0x4c, 0x46, 0), Uint8Array.of(0xff, 0xfe, 0xfd, 0xfc), Uint8Array.of(1, 2, 3, 4)])
    assert.equal(isBinary(binary), true);
});
