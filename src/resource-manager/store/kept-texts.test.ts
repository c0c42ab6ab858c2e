import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { application } from '../../wire/cluster/application.ts';
import { writeJsonMember } from '../../wire/codec/json.ts';
import { writeXmlElement } from '../../wire/codec/xml.ts';
import { faultOfKeptText, SoundTexts } from './kept-texts.ts';

const id = 'application_1_0001';
const info = {
  id,
  name: 'a <b> & "c"\r\n\u0001 größe 🙂',
  user: 'ann',
  resourceRequests: [{ priority: 1 }],
  timeouts: {},
  amNodeLabelExpression: '',
};
const json = writeJsonMember(application, 'natural', info as never);
const xml = writeXmlElement('app', application, info as never);

describe('a text that an ended application is kept with', () => {
  it('is sound as it was written, and where there is none', () => {
    for (const [format, text] of [
      ['json', json],
      ['xml', xml],
    ] as const)
      assert.equal(faultOfKeptText(format, text, id), undefined, text);
    assert.equal(faultOfKeptText('xml', `<app xmlns:xsi="a" xsi:type="b"><id>${id}</id><empty/></app>`, id), undefined);
    for (const format of ['json', 'xml'] as const) assert.equal(faultOfKeptText(format, null, id), undefined);
  });

  it('is damaged wherever it is cut, or has something behind it', () => {
    for (const [format, text] of [
      ['json', json],
      ['xml', xml],
    ] as const) {
      for (let length = 0; length < text.length; length++)
        assert.ok(faultOfKeptText(format, text.slice(0, length), id), `${format} ${length}`);
      assert.match(faultOfKeptText(format, `${text}${text}`, id) ?? '', /^is no/);
      assert.match(faultOfKeptText(format, `${text}x`, id) ?? '', /^is no/);
    }
  });

  it('is damaged where its middle is, though it begins and ends well', () => {
    for (const middle of ['"', '\u0000', '{', ',,'])
      assert.equal(faultOfKeptText('json', `{"id":"${id}"${middle}}`, id), 'is no JSON', middle);
    for (const middle of ['<', '&', '&nothing;', '<a>', '</a>', '<a></b>', '\u0000', '<a b=">"/>', '</app><app>', '</a/>'])
      assert.equal(faultOfKeptText('xml', `<app><id>${id}</id>${middle}</app>`, id), 'is no XML', middle);
  });

  it('is damaged where it is of another application, or no text', () => {
    for (const [format, text] of [
      ['json', json],
      ['xml', xml],
    ] as const) {
      assert.equal(faultOfKeptText(format, text, 'application_1_0002'), 'is not of this application');
      assert.equal(faultOfKeptText(format, Buffer.from(text), id), 'is no text');
    }
    for (const text of ['null', '7', '"text"']) assert.equal(faultOfKeptText('json', text, id), 'is no object');
    assert.equal(faultOfKeptText('json', '[]', id), 'is not of this application');
    assert.equal(faultOfKeptText('xml', '<app/>', id), 'is not of this application');
    assert.equal(faultOfKeptText('xml', `<other><id>${id}</id></other>`, id), 'is no XML');
  });
});

it('rows that were looked at are known by their numbers', () => {
  const known = new SoundTexts();
  const numbers = [0, 1, 7, 8, 1023, 1024, 70_000, 2 ** 40];
  for (const number of numbers) {
    assert.equal(known.has(number), false);
    known.add(number);
    assert.ok(known.has(number));
  }
  for (const number of [2, 9, 1022, 1025, 2 ** 40 + 1]) assert.equal(known.has(number), false);
});
