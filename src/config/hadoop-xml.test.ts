import assert from 'node:assert/strict';
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { pathToFileURL } from 'node:url';
import fc from 'fast-check';
import { parseHadoopXml, readOptionalFile } from './hadoop-xml.ts';
import { ConfigurationError } from './table.ts';

fc.configureGlobal({ seed: Number(process.env['HEDDLE_TEST_SEED'] ?? 20_261_121) });

const folder = mkdtempSync(join(tmpdir(), 'heddle-hadoop-xml-'));
after(() => rmSync(folder, { recursive: true, force: true }));

const read = (inside: string, path?: string) => parseHadoopXml(`<configuration>${inside}</configuration>`, 'core-site.xml', path);
const pairs = (inside: string) => read(inside).map(({ key, value }) => [key, value]);
const include = (href: string, inside = '') =>
  `<xi:include xmlns:xi="http://www.w3.org/2001/XInclude" href="${href}">${inside}</xi:include>`;
const property = (name: string, value: string) => `<property><name>${name}</name><value>${value}</value></property>`;
function refused(action: () => unknown, message: RegExp): void {
  assert.throws(action, (error) => error instanceof ConfigurationError && message.test(error.message));
}
function write(name: string, inside: string): string {
  const path = join(folder, name);
  writeFileSync(path, `<?xml version="1.0"?>\n<configuration>${inside}</configuration>\n`);
  return path;
}

describe('properties', () => {
  it('are elements or attributes, in their order', () => {
    assert.deepEqual(
      pairs(
        '<property><name>a</name><value>1</value></property>\n<property name="b" value="2"/><property name="c"><value>3</value></property>',
      ),
      [
        ['a', '1'],
        ['b', '2'],
        ['c', '3'],
      ],
    );
  });

  it('have the last of several members, and elements before attributes', () => {
    assert.deepEqual(pairs('<property name="a" value="x"><name>b</name><value>1</value><value>2</value></property>'), [['b', '2']]);
  });

  it('keep the blanks of their values, and lose those of their names', () => {
    assert.deepEqual(pairs('<property>\n <name> a\n</name>\n <value> x \n y </value>\n</property>'), [['a', ' x \n y ']]);
    assert.deepEqual(pairs('<property><name>a</name><value/></property>'), [['a', '']]);
  });

  it('without a name or a value are unset', () => {
    assert.deepEqual(
      pairs(
        '<property><name>a</name></property><property><value>1</value></property><property><name> </name><value>1</value></property><property/>',
      ),
      [],
    );
  });

  it('are final where they say true, and only then', () => {
    const finals = ['true', ' true ', 'TRUE', 'yes', ''].map(
      (text) => read(`<property><name>a</name><value>1</value><final>${text}</final></property>`)[0]?.final,
    );
    assert.deepEqual(finals, [true, true, false, false, false]);
    assert.equal(read('<property name="a" value="1" final="true"/>')[0]?.final, true);
    assert.equal(read(property('a', '1'))[0]?.final, false);
  });

  it('may have descriptions, sources and other elements, which say nothing', () => {
    assert.deepEqual(
      pairs(
        '<!-- note --><property><name>a</name><value>1</value><description>What <b>it</b> is.</description><source>x</source></property><other/>text',
      ),
      [['a', '1']],
    );
  });

  it('have entities, references and unparsed parts in their values', () => {
    assert.deepEqual(pairs(property('a', '&lt;x&gt; &amp;amp; &quot;&apos; &#233;&#x20AC;<![CDATA[<&>]]>')), [
      ['a', '<x> &amp; "\' é€<&>'],
    ]);
    assert.deepEqual(pairs('<property name="a" value="&lt;&#233;&amp;"/>'), [['a', '<é&']]);
  });

  it('lie in nested configurations too, as includes bring them in', () => {
    assert.deepEqual(pairs(`<configuration>${property('a', '1')}</configuration>${property('b', '2')}`), [
      ['a', '1'],
      ['b', '2'],
    ]);
  });

  it('survive, whatever stands in their values', () => {
    const text = fc.string({
      unit: fc.oneof(
        fc.constantFrom('<', '>', '&', '"', "'", ' ', '\n', '$', '{', '}', 'é', '😀'),
        fc.string({ minLength: 1, maxLength: 1 }),
      ),
    });
    const legal = text.map((one) => one.replace(/[\0-\x08\x0b-\x1f\ufffe\uffff]/g, ''));
    const escaped = (one: string) => one.replace(/[&<>]/g, (character) => `&#${character.charCodeAt(0)};`);
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.stringMatching(/^[a-z.]{1,8}$/), legal), { maxLength: 4 }), (properties) => {
        const inside = properties.map(([name, value]) => property(name, escaped(value))).join('');
        assert.deepEqual(pairs(inside), properties);
      }),
    );
  });
});

describe('documents', () => {
  it('that are not well formed are refused with their line', () => {
    refused(
      () => parseHadoopXml('<configuration>\n<property>\n</configuration>', 'yarn-site.xml'),
      /^yarn-site\.xml: line 3: .*Repair the XML\.$/,
    );
    for (const text of ['', 'text', '<configuration>', '<configuration></other>', '<a/><b/>'])
      refused(() => parseHadoopXml(text, 'x'), /^x: /);
    refused(
      () => parseHadoopXml('<configuration>\n<property>', 'x'),
      /^x: line 1: <configuration>, <property> have no end\. Repair the XML\.$/,
    );
    refused(() => parseHadoopXml('<configuration>', 'x'), /^x: line 1: <configuration> has no end\. Repair the XML\.$/);
    refused(() => parseHadoopXml('text', 'x'), /^x: line 1: 't' stands where an element is to begin\. Repair the XML\.$/);
  });

  it('of another root are refused', () => {
    refused(
      () => parseHadoopXml('<allocations/>', 'yarn-site.xml'),
      /^yarn-site\.xml: root element: is not <configuration>\. Put the properties into <configuration>\.$/,
    );
    assert.deepEqual(parseHadoopXml('<configuration/>', 'x'), []);
    assert.deepEqual(parseHadoopXml('<?xml version="1.0"?><?xml-stylesheet href="x"?><!-- c --><configuration/>', 'x'), []);
  });

  it('bring in nothing from outside by entities', () => {
    const secret = write('secret.txt', '');
    for (const entity of [`SYSTEM "file://${secret}"`, 'SYSTEM "http://127.0.0.1:1/x"', 'PUBLIC "-//x" "http://127.0.0.1:1/x"'])
      refused(
        () => parseHadoopXml(`<!DOCTYPE configuration [<!ENTITY x ${entity}>]><configuration>${property('a', '&x;')}</configuration>`, 'x'),
        /^x: /,
      );
  });

  it('that grow without bound by entities are refused', () => {
    const bomb = Array.from({ length: 12 }, (_, level) => `<!ENTITY e${level + 1} "${`&e${level};`.repeat(10)}">`).join('');
    const text = `<!DOCTYPE configuration [<!ENTITY e0 "xxxxxxxxxx">${bomb}]><configuration>${property('a', '&e12;')}</configuration>`;
    try {
      assert.ok(JSON.stringify(parseHadoopXml(text, 'x')).length < 1_000_000);
    } catch (error) {
      assert.ok(error instanceof ConfigurationError, String(error));
    }
  });

  it('of any shape are read or refused', () => {
    const piece = fc.constantFrom(
      '<configuration>',
      '</configuration>',
      '<property>',
      '</property>',
      '<name>',
      '</name>',
      '<value/>',
      'a',
      '&',
      '<',
      '>',
      '<!--',
      '-->',
      '<![CDATA[',
      ']]>',
      '<constructor>',
      '</constructor>',
      '<xi:include/>',
      '\0',
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 12 }), (pieces) => {
        try {
          parseHadoopXml(pieces.join(''), 'x');
        } catch (error) {
          assert.ok(error instanceof ConfigurationError, `${pieces.join('')}: ${String(error)}`);
        }
      }),
      { numRuns: 1000 },
    );
  });
});

describe('includes', () => {
  it('stand where they are, and say which file a property came from', () => {
    write('inner.xml', property('b', '2'));
    const path = write('outer.xml', '');
    assert.deepEqual(read(`${property('a', '1')}${include('inner.xml')}${property('c', '3')}`, path), [
      { key: 'a', value: '1', final: false },
      { key: 'b', value: '2', final: false, included: 'inner.xml' },
      { key: 'c', value: '3', final: false },
    ]);
  });

  it('are relative to the file that has them, absolute, or addresses of files', () => {
    mkdirSync(join(folder, 'below'), { recursive: true });
    write('below/deep.xml', property('deep', '1'));
    write('below/middle.xml', include('deep.xml'));
    const path = write('outer.xml', '');
    const inner = join(folder, 'below/middle.xml');
    for (const href of ['below/middle.xml', './below/../below/middle.xml', inner, pathToFileURL(inner).href])
      assert.deepEqual(read(include(href), path), [{ key: 'deep', value: '1', final: false, included: 'deep.xml' }], href);
  });

  it('fall back where their file is absent, to nothing where the fallback is empty', () => {
    const path = write('outer.xml', '');
    assert.deepEqual(read(include('absent.xml', `<xi:fallback>${property('a', '1')}</xi:fallback>`), path), [
      { key: 'a', value: '1', final: false },
    ]);
    assert.deepEqual(read(include('absent.xml', '<xi:fallback/>'), path), []);
    assert.deepEqual(read(include('outer.xml/absent.xml', '<xi:fallback/>'), path), []);
  });

  it('are refused where they lead nowhere, elsewhere or back', () => {
    const path = write('outer.xml', '');
    write('self.xml', include('self.xml'));
    write('there.xml', include('back.xml'));
    write('back.xml', include('there.xml'));
    write('broken.xml', '<property>');
    const refuses = (href: string, message: RegExp) => refused(() => read(include(href), path), message);
    refuses('absent.xml', /include of 'absent\.xml': does not exist\. Create the file, or give the include an <xi:fallback\/>\.$/);
    refuses('', /include of '': has no href/);
    refuses('http://127.0.0.1:1/x.xml', /is not a file of this machine\. Include files only\.$/);
    refuses('HTTPS://host/x.xml', /is not a file of this machine/);
    refuses('jar:file:/x.jar!/y.xml', /is not a file of this machine/);
    refuses('self.xml', /include of 'self\.xml': leads back to itself/);
    refuses('there.xml', /leads back to itself/);
    refuses('broken.xml', /broken\.xml: line 2: /);
    refused(() => read(include('inner.xml')), /is not possible here\. Put the properties into the file itself\.$/);
  });

  it('go sixteen files deep and no further', () => {
    for (let level = 0; level < 30; level++)
      write(`level${level}.xml`, level === 29 ? property('end', '1') : include(`level${level + 1}.xml`));
    const path = join(folder, 'outer.xml');
    assert.deepEqual(
      read(include('level14.xml'), path).map(({ key }) => key),
      ['end'],
    );
    refused(() => read(include('level0.xml'), path), /leads back to itself/);
  });
});

describe('files', () => {
  it('that are absent have no text; those that cannot be read are refused', () => {
    assert.equal(readOptionalFile(join(folder, 'absent')), undefined);
    assert.equal(readOptionalFile(join(write('a.xml', ''), 'below')), undefined);
    refused(
      () => readOptionalFile(folder),
      /: cannot be read: is a folder, and no file\. Let the user of this process read it, or remove it\.$/,
    );
    const closed = write('closed.xml', '');
    chmodSync(closed, 0o000);
    // The administrator reads everything.
    if (process.getuid?.() !== 0) refused(() => readOptionalFile(closed), /cannot be read: this user may not use it/);
  });
});
