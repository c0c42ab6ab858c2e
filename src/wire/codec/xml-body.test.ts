import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { Failure } from '../../model/errors.ts';
import { parseXmlBody } from './xml-body.ts';
import { xmlTextOf } from './xml-encoding.ts';

fc.configureGlobal({ seed: Number(process.env['HEDDLE_TEST_SEED'] ?? 20_261_121) });

const anyCharacter = fc.integer({ min: 0, max: 0x10ffff }).map((code) => String.fromCodePoint(code));

function refused(text: string, says: RegExp, root = 'r', others: readonly string[] = []): Failure {
  try {
    const value = parseXmlBody(text, root, others);
    return assert.fail(`${text.slice(0, 80)} was read as ${JSON.stringify(value)}`);
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    assert.equal(error.entry.status, 400);
    assert.match(error.message, says);
    return error;
  }
}

describe('the content of an XML body', () => {
  it('is its elements as members, repeated ones as lists, texts as they stand', () => {
    assert.deepEqual(parseXmlBody('<?xml version="1.0"?><!-- c --><r><a>1</a><b> x </b><a>2</a><c><d/></c></r>', 'r'), {
      a: ['1', '2'],
      b: ' x ',
      c: { d: '' },
    });
    assert.equal(parseXmlBody('<r/>', 'r'), '');
    assert.equal(parseXmlBody('<r>text</r>', 'r'), 'text');
  });

  it('is not looked at behind a root that nobody expects', () => {
    for (const text of ['<a><b></a>', '<?xml version="1.0"?> <a>&bogus;', '<a>'])
      refused(
        text,
        /^javax\.xml\.bind\.UnmarshalException: unexpected element \(uri:"", local:"a"\)\. Expected elements are <\{\}o>,<\{\}r>$/,
        'r',
        ['o'],
      );
    refused('<r><b></r>', /SAXParseException/, 'r', ['o']);
  });

  it('has entities and references decoded once', () => {
    const { a } = parseXmlBody('<r><a>&lt;b&gt; &amp;lt; &quot;&apos; &#233;&#x1F600;&#13;</a></r>', 'r');
    assert.equal(a, '<b> &lt; "\' é😀\r');
    assert.deepEqual(parseXmlBody('<r><a><![CDATA[<b>&amp;&#65;]]></a></r>', 'r'), { a: '<b>&amp;&#65;' });
  });

  it('has no attributes and no text beside elements', () => {
    assert.deepEqual(parseXmlBody('<r x="1">\n<a y="2">t</a> stray\n</r>', 'r'), { a: 't' });
  });

  it('keeps blanks, written as they are or as references', () => {
    const { a } = parseXmlBody('<r><a>&#x20;</a><a> x&#32;</a><a>&#x9;</a><a><![CDATA[ & ]]></a><!-- & --><?p &?></r>', 'r');
    assert.deepEqual(a, [' ', ' x ', '\t', ' & ']);
  });

  it('may follow a declaration and instructions', () => {
    assert.deepEqual(parseXmlBody('<?xml version="1.0" encoding="UTF-8"?>\n<?style x?>\n<r><a>1</a></r>\n', 'r'), { a: '1' });
  });
});

describe('what is no XML body', () => {
  it('is refused for references to nothing and characters that are none', () => {
    refused('<r>\n<a>&bogus;</a></r>', /lineNumber: 2; columnNumber: 11; The entity "bogus" was referenced, but not declared\./);
    refused('<r><a>&copy;</a></r>', /The entity "copy" was referenced, but not declared\./);
    refused('<r><a>&amp</a></r>', /The reference to entity "amp" must end with the ';' delimiter\./);
    for (const text of ['a & b', 'a &', '&;'])
      refused(`<r><a>${text}</a></r>`, /The entity name must immediately follow the '&' in the entity reference\./);
    for (const code of ['0', '1', '31', '55296', '65535', '1114112', 'x110000', 'xFFFE', '9'.repeat(400)])
      refused(`<r><a>&#${code};</a></r>`, /Character reference "&#x?[0-9A-F]+" is an invalid XML character\./);
    for (const character of ['\u0000', '\u0008', '\u001b', '\ufffe', '\ud800', '\udc00x'])
      refused(
        `<r><a>${character}</a></r>`,
        /An invalid XML character \(Unicode: 0x[0-9a-f]+\) was found in the element content of the document\./,
      );
    refused('<r><a>&bogus;</a><b>\u0001</b></r>', /The entity "bogus"/);
  });

  it('is refused with the sentence and the place of Java’s reader', () => {
    refused('', /lineNumber: 1; columnNumber: 1; Premature end of file\./);
    refused(' \n ', /lineNumber: 2; columnNumber: 2; Premature end of file\./);
    refused('{"a":1}', /lineNumber: 1; columnNumber: 1; Content is not allowed in prolog\./);
    refused('<r>\n<a>\n</r>', /lineNumber: 3; columnNumber: 3; The element type "a" must be terminated by the matching end-tag "<\/a>"\./);
    refused('<r><a></r></a>', /The element type "a" must be terminated/);
    refused('<r>\n<a>', /lineNumber: 2; columnNumber: 4; XML document structures must start and end within the same entity\./);
    refused('<r/><r/>', /following the root element must be well-formed/);
    refused('<r/><s/>', /following the root element must be well-formed|same entity/);
  });

  it('knows nothing of elements in a namespace, however they got into it', () => {
    const cases: [string, unknown][] = [
      ['<r><a xmlns="urn:x">1</a><b>2</b></r>', { b: '2' }],
      ['<r><a xmlns="urn:x"><a xmlns="">1</a></a><b>2</b></r>', { b: '2' }],
      ['<r xmlns=""><a xmlns="" x="y">1</a><b><c xmlns="u"><d>3</d></c><d>4</d></b></r>', { a: '1', b: { d: '4' } }],
      ['<r><a xmlns="u">1</a><a>2</a></r>', { a: '2' }],
    ];
    for (const [text, read] of cases) assert.deepEqual(parseXmlBody(text, 'r'), read, text);
  });

  it('is refused by its root, naming those that are known', () => {
    refused('<s/>', /unexpected element \(uri:"", local:"s"\)\. Expected elements are <\{\}r>$/);
    refused('<r xmlns="urn:x"/>', /unexpected element \(uri:"urn:x", local:"r"\)/);
    refused('<s/>', /Expected elements are <\{\}a>,<\{\}r>$/, 'r', ['a', 'r']);
    assert.equal(refused('<a/>', /ClassCastException: <a> where <r> is expected/, 'r', ['a']).code, 'ILLEGAL_ARGUMENT');
  });
});

describe('hostile XML', () => {
  it('brings nothing in from outside: what lies there counts as empty', () => {
    for (const type of [
      'SYSTEM "file:///etc/passwd"',
      'PUBLIC "-//x" "http://127.0.0.1/x.dtd"',
      'SYSTEM "file:///etc/passwd" [<!ENTITY b "c">]',
    ])
      assert.deepEqual(parseXmlBody(`<!DOCTYPE r ${type}><r><a x="&a;">1&a;2</a></r>`, 'r'), { a: '12' }, type);
    for (const place of ['SYSTEM "file:///etc/passwd"', "PUBLIC '-//x' 'http://127.0.0.1/x.dtd'", 'SYSTEM "x" NDATA n']) {
      assert.deepEqual(parseXmlBody(`<!DOCTYPE r [<!ENTITY a ${place} >]><r><a>1&a;2</a></r>`, 'r'), { a: '12' }, place);
      refused(
        `<!DOCTYPE r [<!ENTITY a ${place}>]><r a="&a;"/>`,
        /The external entity reference "&a;" is not permitted in an attribute value/,
      );
    }
    refused('<!DOCTYPE r [<!ENTITY % p SYSTEM "http://127.0.0.1/"> %p;]><r/>', /Parameter entities are not replaced/);
  });

  it('has entities of its own replaced, each in its place', () => {
    const entities = '<!ENTITY one "1"><!ENTITY two \'2\'><!ENTITY two "3"><!ENTITY both "&one;&two;"><!ENTITY tag "<b>&both;</b>">';
    const read = (content: string) => parseXmlBody(`<!DOCTYPE r [<!-- &x; --><?p?><!ELEMENT r (a|b)*> ${entities}]><r>${content}</r>`, 'r');
    assert.deepEqual(read('<a>&one;&two;&one;</a>'), { a: '121' });
    assert.deepEqual(read('<a>&both;<!-- &one; --><?p &one;?></a>&tag;'), { a: '12', b: '12' });
    assert.deepEqual(read('<a x="&both;"><![CDATA[&one;]]>&amp;one;</a>'), { a: '&one;&one;' });
    const letters = '<!ENTITY a "&#65;"><!ENTITY b "&#38;#66;"><!ENTITY lt "&#38;#60;"><!ENTITY amp "x"><!ENTITY c "]">';
    assert.deepEqual(parseXmlBody(`<!DOCTYPE r [${letters}]><r><a>&a;&b;&lt;&amp;&c;</a></r>`, 'r'), { a: 'AB<&]' });
    assert.deepEqual(parseXmlBody('<!DOCTYPE r [<!ENTITY n "urn:x">]><r><a xmlns="&n;">1</a><b>2</b></r>', 'r'), { b: '2' });
  });

  it('does not grow beyond a bound', () => {
    const many = Array.from({ length: 40 }, (_, index) => `<!ENTITY e${index} "x">`).join('');
    assert.deepEqual(parseXmlBody(`<!DOCTYPE r [${many}]><r><a>&e39;</a></r>`, 'r'), { a: 'x' });
    const long = `<!DOCTYPE r [<!ENTITY a "${'x'.repeat(1000)}">]><r>${'&a;'.repeat(100)}</r>`;
    refused(long, /expands to too much/);
    const within = parseXmlBody(`<!DOCTYPE r [<!ENTITY a "${'x'.repeat(1000)}">]><r><b>${'&a;'.repeat(60)}</b></r>`, 'r');
    assert.equal(String(within['b']).length, 60_000);
    const laughs = Array.from({ length: 30 }, (_, index) => `<!ENTITY e${index + 1} "${`&e${index};`.repeat(10)}">`).join('');
    for (const place of ['<a>&e30;</a>', '<a x="&e30;"/>'])
      for (const first of ['ha', '']) refused(`<!DOCTYPE r [<!ENTITY e0 "${first}">${laughs}]><r>${place}</r>`, /expands to too much/);
    refused(
      '<!DOCTYPE r [<!ENTITY e "&e;">]><r>&e;</r>',
      /1; columnNumber: 4; Recursive entity reference "e"\. \(Reference path: e -> e -> e\),\]/,
    );
    refused(
      '<!DOCTYPE r [<!ENTITY f "&e;"><!ENTITY e "&f;">]><r a="&f;"/>',
      /Recursive entity reference "f"\. \(Reference path: f -> f -> e -> f\),\]/,
    );
  });

  it('of great depth or width is read or refused, but never runs over', () => {
    for (const depth of [100, 5000, 20_000]) {
      const text = `${'<a>'.repeat(depth)}${'</a>'.repeat(depth)}`;
      try {
        parseXmlBody(`<r>${text}</r>`, 'r');
      } catch (error) {
        assert.ok(error instanceof Failure, `depth ${depth}: ${String(error).slice(0, 100)}`);
      }
    }
    const wide = parseXmlBody(`<r>${'<a>1</a>'.repeat(20_000)}</r>`, 'r');
    assert.equal((wide['a'] as string[]).length, 20_000);
  });

  it('of tags that do not end is refused at the first', () => {
    for (const open of ['<a', '</a', '<a '])
      refused(`<r>${open.repeat(20_000)}`, /columnNumber: [67]; (?:E|The e)lement type "[ar]" must be/);
  });

  it('of more markup than any has is refused', () => {
    const tooMuch = /more than 100000 pieces of markup/;
    refused(`<r>${'<a/>'.repeat(100_000)}</r>`, tooMuch);
    refused(`<r>${'&amp;'.repeat(100_000)}</r>`, tooMuch);
    refused(`<r ${Array.from({ length: 100_000 }, (_, index) => `a${index}="1"`).join(' ')}/>`, tooMuch);
  });

  it('with names that JavaScript gives a meaning is refused, and changes no prototype', () => {
    for (const name of ['constructor', '__proto__', 'prototype'])
      refused(`<r><${name}><polluted>1</polluted></${name}></r>`, /XML document structures must start and end within the same entity/);
    assert.equal(({} as Record<string, unknown>)['polluted'], undefined);
  });

  it('in any shape is answered with a failure of the catalogue or a value', () => {
    const piece = fc.constantFrom(
      '<r>',
      '</r>',
      '<a>',
      '</a>',
      '<a/>',
      '<!--',
      '-->',
      '<![CDATA[',
      ']]>',
      '<?x',
      '?>',
      '&',
      '&a;',
      '&#0;',
      '&#x110000;',
      '<',
      '>',
      '"',
      '=',
      'x',
      ' ',
      '\0',
      '<!DOCTYPE r [',
      '<!ENTITY a "b">',
      ']>',
      'xmlns="',
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 14 }), (pieces) => {
        try {
          parseXmlBody(pieces.join(''), 'r', ['a']);
        } catch (error) {
          assert.ok(error instanceof Failure, `${pieces.join('')}: ${String(error)}`);
        }
      }),
      { numRuns: 3000 },
    );
    fc.assert(
      fc.property(fc.string({ unit: anyCharacter, maxLength: 40 }), (noise) => {
        try {
          parseXmlBody(`<r>${noise}</r>`, 'r');
        } catch (error) {
          assert.ok(error instanceof Failure, `${noise}: ${String(error)}`);
        }
      }),
      { numRuns: 500 },
    );
  });
});

describe('a document type', () => {
  it('in or behind the root is where Java’s reader stops', () => {
    refused('<r><!DOCTYPE r><a>1</a></r>', /\[org\.xml\.sax\.SAXException: Scanner State 24 not Recognized \]$/);
    refused('<r></r><!DOCTYPE r>', /columnNumber: 10; Comment must start with "<!--"\.\]$/);
    refused('<!-- <!DOCTYPE r> --><r><!DOCTYPE r></r>', /Scanner State 24/);
    assert.deepEqual(parseXmlBody('<!-- <a> --><?x <b>?><!DOCTYPE r><r><a>1</a></r>', 'r'), { a: '1' });
    assert.deepEqual(parseXmlBody('<!-- <!DOCTYPE r --><r><a>1</a></r>', 'r'), { a: '1' });
  });
});

describe('the bytes of an XML body', () => {
  const text = '<?xml version="1.0" encoding="UTF-16"?><r>\u00fc\u{1f600}</r>';
  const swapped = (of: string) => Buffer.from(of, 'utf16le').swap16();

  it('are read in two bytes a character where they begin so', () => {
    for (const bytes of [Buffer.from(`\ufeff${text}`, 'utf16le'), swapped(`\ufeff${text}`), Buffer.from(text, 'utf16le'), swapped(text)])
      assert.equal(xmlTextOf(bytes), text);
    assert.equal(xmlTextOf(Buffer.from('\ufeff<r/>', 'utf16le')), '<r/>');
  });

  it('are refused where they are no UTF-8, by the sentence of Java’s reader', () => {
    const said = (...bytes: readonly number[]): string => {
      try {
        return xmlTextOf(Buffer.concat([Buffer.from('<r>\u00fc'), Buffer.from(bytes)]));
      } catch (error) {
        return /MalformedByteSequenceException: (.*)\]$/.exec((error as Error).message)?.[1] ?? String(error);
      }
    };
    const wrong = (number: number, length: number) => `Invalid byte ${number} of ${length}-byte UTF-8 sequence.`;
    assert.equal(said(0xff, 0x3c), wrong(1, 1));
    assert.equal(said(0xc0, 0x80), wrong(1, 1));
    assert.equal(said(0xc3, 0x3c), wrong(2, 2));
    assert.equal(said(0xed, 0xa0, 0x80), wrong(2, 3));
    assert.equal(said(0xe2, 0x82, 0x3c), wrong(3, 3));
    assert.equal(said(0xf0, 0x9f, 0x98, 0x3c), wrong(4, 4));
    assert.equal(said(0xe2, 0x82), 'Expected byte 3 of 3-byte UTF-8 sequence.');
  });
});
