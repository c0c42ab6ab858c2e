import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { charsetOf, decodedText, isCodePage } from './text-encoding.ts';

describe('a text', () => {
  it('is read in the encoding that is named', () => {
    const cases: [string, Buffer, string | undefined][] = [
      ['utf-8', Buffer.from('größe'), 'größe'],
      ['UTF8', Buffer.from('größe'), 'größe'],
      ['ISO-8859-1', Buffer.from('größe \u009f', 'latin1'), 'größe \u009f'],
      ['windows-1252', Buffer.from([0x80, 0x41]), '€A'],
      ['US-ASCII', Buffer.from([0x41, 0xfc]), 'A\ufffd'],
      ['utf-16le', Buffer.from('ü', 'utf16le'), 'ü'],
      ['utf-16', Buffer.from([0x00, 0xfc]), 'ü'],
      ['utf-16', Buffer.from([0xff, 0xfe, 0xfc, 0x00]), 'ü'],
      ['utf-16be', Buffer.from([0x00, 0xfc]), 'ü'],
      ['nonsense', Buffer.from('a'), undefined],
      ["'utf-8'", Buffer.from('a'), undefined],
    ];
    for (const [encoding, bytes, text] of cases) assert.equal(decodedText(bytes, encoding), text, encoding);
  });

  it('may be named by a code page of IBM', () => {
    for (const name of ['IBM037', 'ibm-037', 'Cp1140', 'x-IBM1025', 'IBM01140', 'cp500', 'CCSID273']) assert.ok(isCodePage(name), name);
    for (const name of ['IBM', 'IBM99999', 'cp1', 'ebcdic', '037', 'utf-8']) assert.ok(!isCodePage(name), name);
  });

  it('is UTF-8 where a content type names nothing, and the last that it names', () => {
    for (const [type, charset] of [
      ['application/json', 'utf-8'],
      ['application/json;charset=', 'utf-8'],
      ['application/json; Charset="ISO-8859-1"', 'ISO-8859-1'],
      ['application/json;charset=utf-8; charset=latin1', 'latin1'],
      ['application/json;x-charset=latin1', 'utf-8'],
    ] as const)
      assert.equal(charsetOf(type), charset, type);
  });
});
