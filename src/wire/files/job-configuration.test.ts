import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { test } from 'node:test';
import fc from 'fast-check';
import {
  readJobConfiguration,
  redactedValue,
  redactJobConfiguration,
  UnreadableConfiguration,
  writeJobConfiguration,
} from './job-configuration.ts';

fc.configureGlobal({ seed: Number(process.env['HEDDLE_TEST_SEED'] ?? 20_261_121) });

const recorded = new URL('../../../test/compatibility/files/', import.meta.url);

test('every configuration survives its XML', () => {
  const text = fc.string({
    unit: fc.oneof(
      fc.constantFrom('&', '<', '>', '"', "'", ' ', '\n', '\r', '\t', '#', ';', ']', 'é', '😀'),
      fc.string({ minLength: 1, maxLength: 1 }),
    ),
    maxLength: 20,
  });
  const name = fc.stringMatching(/^[a-z.%A-Z]{1,12}$/);
  const property = fc.record({ name, value: text, final: fc.boolean(), sources: fc.array(text, { maxLength: 3 }) });
  fc.assert(
    fc.property(fc.uniqueArray(property, { selector: (entry) => entry.name }), (properties) => {
      assert.deepEqual(
        readJobConfiguration(writeJobConfiguration(properties)),
        properties.map((entry) => ({ ...entry })),
      );
    }),
  );
});

test('short forms are read, the last value of a name counts', () => {
  const xml =
    '<?xml version="1.0"?><!-- c --><configuration><property><name> a </name><value>1</value></property><property name="b" value="2"/><property><name>a</name><value/></property><other/></configuration>';
  assert.deepEqual(
    readJobConfiguration(xml).map(({ name, value }) => [name, value]),
    [
      ['a', ''],
      ['b', '2'],
    ],
  );
  assert.deepEqual(readJobConfiguration('<configuration/>'), []);
  for (const bad of ['', '<a/>', '<configuration><property>', 'text'])
    assert.throws(() => readJobConfiguration(bad), UnreadableConfiguration, bad);
});

test('listed properties are hidden, also those that do not exist', () => {
  const hidden = redactJobConfiguration([
    { name: 'mapreduce.job.redacted-properties', value: 'secret, other.secret' },
    { name: 'secret', value: 'x', sources: ['job.xml'] },
    { name: 'open', value: 'y', sources: ['job.xml'] },
  ]);
  assert.deepEqual(
    hidden.map(({ name, value }) => [name, value]),
    [
      ['mapreduce.job.redacted-properties', 'secret, other.secret'],
      ['secret', redactedValue],
      ['open', 'y'],
      ['other.secret', redactedValue],
    ],
  );
});

test('a configuration that Hadoop wrote is written again with the same bytes', () => {
  // The whole file, where it is at hand, and the shortened one that every clone has.
  const folders = [recorded, new URL('../../../../shared/golden/3.4.2/files/', import.meta.url)].filter((folder) => existsSync(folder));
  for (const folder of folders) {
    const names = readdirSync(folder).filter((file) => file.endsWith('_conf.xml'));
    assert.ok(names.length > 0);
    for (const name of names) {
      const original = readFileSync(new URL(name, folder), 'utf8');
      assert.equal(writeJobConfiguration(readJobConfiguration(original)), original.endsWith('\n') ? original : `${original}\n`);
    }
  }
});

test('a configuration hides what its names say are secrets, wherever they stand, and passwords of addresses', () => {
  const list = { name: 'hadoop.security.sensitive-config-keys', value: 'password$' };
  const shown = redactJobConfiguration([
    list,
    { name: 'fs.s3a.secret.key', value: 'abcdefgh-1234' },
    { name: 'my.alias', value: 'x-abcdefgh-1234-y' },
    { name: 'db', value: 'jdbc:x://ann:pw@h/' },
    { name: 'empty.password', value: '' },
    { name: 'mapreduce.job.name', value: 'word count' },
  ]);
  assert.deepEqual(
    shown.map(({ value }) => value),
    [list.value, redactedValue, `x-${redactedValue}-y`, `jdbc:x://ann:${redactedValue}@h/`, '', 'word count'],
  );
  assert.equal(redactJobConfiguration([{ name: 'my.thing', value: 'x' }], '^my[.]')[0]?.value, redactedValue);
});

test('a configuration that would take long to read is refused, however short it is', () => {
  const many = '<property/>'.repeat(500_001);
  assert.throws(() => readJobConfiguration(`<configuration>${many}</configuration>`), /more than 500000 pieces of markup/);
  assert.throws(
    () => readJobConfiguration('<!DOCTYPE c [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;">]><configuration>&b;</configuration>'),
    /has a document type/,
  );
  // Each secret would be looked for in each value.
  const properties = Array.from({ length: 20_000 }, (_, index) => ({
    name: `${index % 2 ? 'password' : 'plain'}.${index}`,
    value: `value number ${index}`,
  }));
  assert.ok(redactJobConfiguration(properties).every(({ value }) => value === redactedValue));
});
