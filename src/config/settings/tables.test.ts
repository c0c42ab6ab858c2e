import assert from 'node:assert/strict';
import { tmpdir } from 'node:os';
import { describe, it } from 'node:test';
import { Configuration, loadConfiguration } from '../load.ts';
import { ConfigurationError, type SettingEntry, type SettingType } from '../table.ts';
import { readValue } from '../values.ts';
import { allSettings, familyOf, settingsTables } from './all.ts';

const dataDir = tmpdir();
const entries = Object.entries(settingsTables).flatMap(([table, members]) =>
  Object.entries(members).map(([name, entry]) => ({ place: `${table}.${name}`, name, entry })),
);
const withDefaults = new Configuration({ confDir: undefined, dataDir, properties: [], files: [], notes: [] });
const numeric: readonly SettingType[] = ['integer', 'number', 'durationMs', 'bytes'];

/** Texts that a type cannot read. */
const unreadable: Readonly<Partial<Record<SettingType, readonly string[]>>> = {
  integer: ['many', '1.5', '1e3', '--1', '0x', '1 2', '٣'],
  number: ['many', '1,5', '..', 'NaN', 'Infinity', '1 2'],
  boolean: ['yes', '1', 'truee', 'on'],
  address: ['host:99999', 'host:port', ':80', 'a b:80', 'http://host:80', '[::1', 'host:80:80'],
  path: ['hdfs://namenode/tmp', 's3a://bucket/path', 'http://host/x'],
  paths: ['/a,hdfs://namenode/tmp'],
  place: ['hdfs://namenode/tmp', 'https://bucket'],
  durationMs: ['soon', '5 minutes', '1w', '5m5s', '-', '1.2.3s'],
  bytes: ['much', '1.5g', '5 mb', '64kk', '0x10'],
};
/** A text that each type reads, and its value. */
const readable: Readonly<Record<SettingType, readonly (readonly [text: string, value: unknown])[]>> = {
  string: [[' a b ', ' a b ']],
  integer: [
    ['7', 7],
    [' +7 ', 7],
    ['0x10', 16],
  ],
  number: [
    ['7', 7],
    ['7.5', 7.5],
    ['7.5f', 7.5],
    ['7D', 7],
  ],
  boolean: [
    ['true', true],
    [' FALSE ', false],
  ],
  address: [
    ['host:80', 'host:80'],
    [' [::1]:80 ', '[::1]:80'],
    ['host', 'host'],
  ],
  path: [
    ['/a/b', '/a/b'],
    ['file:///a%20b', '/a b'],
    ['file:/a', '/a'],
    ['a', `${dataDir}/a`],
  ],
  place: [
    ['/a', '/a'],
    ['s3a://bucket/prefix', 's3a://bucket/prefix'],
  ],
  paths: [
    [' /a , b ,,', ['/a', `${dataDir}/b`]],
    ['', []],
  ],
  list: [
    [' a, b ,,c', ['a', 'b', 'c']],
    ['', []],
  ],
  durationMs: [
    ['7s', 7000],
    ['7m', 420_000],
    ['2h', 7_200_000],
    ['1d', 86_400_000],
    ['7ms', 7],
    ['7000us', 7],
    ['7000000ns', 7],
  ],
  bytes: [
    ['7', 7],
    ['7k', 7168],
    ['7KB', 7168],
    ['1g', 2 ** 30],
    ['1t', 2 ** 40],
  ],
  family: [],
};
const refusalOf = (action: () => unknown): ConfigurationError => {
  try {
    action();
  } catch (error) {
    if (error instanceof ConfigurationError) return error;
    throw error;
  }
  return assert.fail('it was taken');
};

describe('entries', () => {
  it('have keys in the form of Hadoop, families a dot at their end', () => {
    for (const { place, entry } of entries) {
      assert.match(entry.key, /^[a-z][A-Za-z0-9_-]*(\.[A-Za-z0-9_-]+)+\.?$|^[a-z]+\.$/, place);
      assert.equal(entry.key.endsWith('.'), entry.type === 'family', place);
    }
  });

  it('that share a key say the same of it', () => {
    for (const { place, entry } of entries) {
      const first = allSettings().get(entry.key);
      assert.deepEqual(
        [entry.type, entry.default, entry.minimum, entry.maximum],
        [first?.type, first?.default, first?.minimum, first?.maximum],
        place,
      );
    }
  });

  it('are described by a sentence, and where they change nothing by a reason', () => {
    for (const { place, entry } of entries) {
      assert.match(entry.about, /^([A-Z*`"]|[a-z]+: ).*[.…)]$/s, `${place}: ${entry.about}`);
      if (entry.inert !== undefined) assert.match(entry.inert, /^[a-zA-Z].*[^.]$/, `${place}: ${entry.inert}`);
    }
  });

  it('have names in camel case that end in their unit', () => {
    for (const { place, name, entry } of entries) {
      assert.match(name, /^[a-z][A-Za-z0-9]*$/, place);
      if (name.endsWith('Ms')) assert.equal(entry.type, 'durationMs', place);
      if (name.endsWith('Bytes')) assert.equal(entry.type, 'bytes', place);
      if (entry.unit !== undefined) assert.equal(entry.type, 'durationMs', place);
    }
  });

  it('have words and bounds of their own type alone', () => {
    for (const { place, entry } of entries) {
      if (entry.oneOf) assert.equal(entry.type, 'string', place);
      if (entry.minimum !== undefined || entry.maximum !== undefined) assert.ok(numeric.includes(entry.type), place);
      assert.ok((entry.minimum ?? Number.NEGATIVE_INFINITY) < (entry.maximum ?? Number.POSITIVE_INFINITY), place);
    }
  });
});

describe('numbers', () => {
  it('of what is there are bounded from below, all of them', () => {
    const unbounded = entries.filter(
      ({ entry }) => ['integer', 'number', 'bytes'].includes(entry.type) && entry.inert === undefined && entry.minimum === undefined,
    );
    assert.deepEqual(
      unbounded.map(({ place }) => place),
      [],
    );
  });

  it('that are parts of a whole are 1 at most, percentages 100', () => {
    // A queue may hold more than its capacity.
    const more = ['preemptionMaximumIgnoredOverCapacity', 'preemptionIntraQueueMinimumThreshold'];
    for (const { place, name, entry } of entries) {
      if (entry.type !== 'number' || entry.inert !== undefined || more.includes(name)) continue;
      if (/\bpart of\b/i.test(entry.about)) assert.ok(entry.maximum === 1 || entry.maximum === 100, place);
    }
  });
});

describe('times', () => {
  it('that components wait or keep things for are never negative, unless that turns something off', () => {
    const unbounded = entries.filter(
      ({ entry }) => entry.type === 'durationMs' && entry.inert === undefined && entry.minimum === undefined,
    );
    assert.deepEqual(
      unbounded.map(({ place }) => place),
      [],
    );
    const negative = entries.filter(({ entry }) => entry.type === 'durationMs' && (entry.minimum ?? 0) < 0);
    for (const { place, entry } of negative) assert.match(entry.about, /-1|−1|never|off|once/, place);
  });

  it('between two runs of the same work are never 0: nothing runs without a pause', () => {
    // The pause before a retry may be none: a number bounds these.
    for (const { place, name, entry } of entries)
      if (
        entry.type === 'durationMs' &&
        entry.inert === undefined &&
        /(Interval|Step)Ms$/.test(name) &&
        !name.startsWith('retry') &&
        !/\b0\b|-1|never/.test(entry.about)
      )
        assert.ok((entry.minimum ?? 0) !== 0, `${place}: ${entry.minimum}`);
  });
});

describe('defaults', () => {
  it('are read by their types, within their bounds', () => {
    for (const [table, members] of Object.entries(settingsTables)) assert.doesNotThrow(() => withDefaults.values(members), table);
  });

  it('name only keys that there are', () => {
    const built = ['heddle.data', 'user.name', 'user.home', 'java.io.tmpdir'];
    for (const { place, entry } of entries)
      for (const [, key = ''] of String(entry.default ?? '').matchAll(/\$\{([^}]+)\}/g))
        assert.ok(allSettings().has(key) || built.includes(key), `${place}: ${key}`);
  });

  it('listen where only this machine reaches', () => {
    for (const { place, entry } of entries)
      if (entry.type === 'address' && entry.default !== undefined)
        assert.match(withDefaults.expand(String(entry.default)), /^(127\.0\.0\.1|localhost)(:\d+)?$/, place);
  });

  it('lie in the data folder, or where nothing is written', () => {
    for (const { place, entry } of entries)
      if (['path', 'paths', 'place'].includes(entry.type) && entry.default !== undefined && String(entry.default) !== '')
        assert.match(String(entry.default), /^\$\{|^\/(etc|usr|sys|var\/lib|proc)\b/, `${place}: ${String(entry.default)}`);
  });
});

describe('texts', () => {
  for (const type of Object.keys(readable) as SettingType[]) {
    const ofType = entries.filter(({ entry }) => entry.type === type && entry.oneOf === undefined);
    if (ofType.length === 0) continue;
    it(`of the type ${type} are read by every setting that has it`, () => {
      for (const { place, entry } of ofType) {
        // Durations with a unit of their own, and bounds, have tests of their own.
        const plain: SettingEntry = { key: entry.key, type: entry.type, about: entry.about };
        for (const [text, value] of readable[type]) assert.deepEqual(readValue(plain, text, 'test', dataDir), value, `${place}: ${text}`);
      }
    });

    it(`that are no ${type} are refused by every setting of that type, naming place, key and remedy`, () => {
      for (const { place, entry } of ofType)
        for (const text of unreadable[type] ?? []) {
          const error = refusalOf(() => readValue(entry, text, 'yarn-site.xml', dataDir));
          assert.deepEqual([error.source, error.key], ['yarn-site.xml', entry.key], place);
          assert.ok(error.message.startsWith(`yarn-site.xml: ${entry.key}: '${text}' is not `), error.message);
          assert.match(error.remedy, /^Give .*\.$/, place);
          if (entry.default !== undefined && entry.default !== '')
            assert.ok(error.remedy.includes(`the default ${String(entry.default)}`), error.remedy);
        }
    });
  }

  it('outside of bounds are refused by every bounded setting, and taken on them', () => {
    const bounded = entries.filter(({ entry }) => entry.minimum !== undefined || entry.maximum !== undefined);
    assert.ok(bounded.length > 50);
    for (const { place, entry } of bounded) {
      const textOf = (value: number) => (entry.type === 'durationMs' ? `${value}ms` : String(value));
      const read = (value: number) => readValue(entry, textOf(value), 'test', dataDir);
      if (entry.minimum !== undefined) {
        assert.equal(read(entry.minimum), entry.minimum, place);
        const error = refusalOf(() => read(entry.minimum! - 1));
        assert.match(error.message, new RegExp(`is below ${entry.minimum}\\. Give at least ${entry.minimum}\\.$`), place);
      }
      if (entry.maximum !== undefined) {
        assert.equal(read(entry.maximum), entry.maximum, place);
        const error = refusalOf(() => read(entry.maximum! + 1));
        assert.match(error.message, new RegExp(`is above ${entry.maximum}\\. Give at most ${entry.maximum}\\.$`), place);
      }
    }
  });

  it('that are larger than any number of Java are refused by every number, and what it has for no limit is taken', () => {
    for (const { place, entry } of entries.filter(({ entry: { type } }) => numeric.includes(type))) {
      assert.match(
        refusalOf(() => readValue(entry, '99999999999999999999', 'test', dataDir)).message,
        /is (too large a number|above \d+)\. Give /,
        place,
      );
      const unlimited = () =>
        readValue(entry, entry.type === 'durationMs' ? '9223372036854775807ms' : '9223372036854775807', 'test', dataDir);
      if (entry.maximum === undefined) assert.equal(unlimited(), 2 ** 63, place);
    }
  });

  it('that are no word of the list are refused with the list', () => {
    for (const { place, entry } of entries.filter((one) => one.entry.oneOf)) {
      for (const word of entry.oneOf!) assert.equal(readValue(entry, word, 'test', dataDir), word, place);
      const error = refusalOf(() => readValue(entry, 'another word', 'test', dataDir));
      assert.ok(error.message.includes(`is not one of ${entry.oneOf!.join(', ')}`), place);
    }
  });

  it('without a suffix count in the unit of the setting', () => {
    const factor = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const;
    for (const { place, entry } of entries) {
      if (entry.type !== 'durationMs') continue;
      const plain: SettingEntry = { key: entry.key, type: entry.type, about: entry.about, ...(entry.unit ? { unit: entry.unit } : {}) };
      assert.equal(readValue(plain, '7', 'test', dataDir), 7 * factor[entry.unit ?? 'ms'], place);
      assert.equal(readValue(plain, '7s', 'test', dataDir), 7000, place);
    }
  });

  it('that are blank leave the default', () => {
    for (const { place, name, entry } of entries) {
      if (entry.type === 'family' || entry.type === 'string' || entry.type === 'list' || entry.type === 'paths') continue;
      const table = { [name]: entry };
      const configuration = new Configuration({
        confDir: undefined,
        dataDir,
        properties: [{ key: entry.key, value: '  ', source: 'test', final: false }],
        files: [],
        notes: [],
      });
      assert.deepEqual(configuration.values(table)[name], withDefaults.values({ [name]: entry })[name], place);
    }
  });
});

describe('families', () => {
  it('take every key below them', () => {
    const families = entries.filter(({ entry }) => entry.type === 'family');
    assert.ok(families.length > 5);
    for (const { place, entry } of families) {
      const key = `${entry.key}some.thing`;
      assert.equal(familyOf(key)?.startsWith(entry.key.split('.')[0]!), true, place);
      const values = loadConfiguration({ dataDir, set: { [key]: 'x', 'other.key': 'y' } }).values({ family: entry });
      assert.equal((values as { family: ReadonlyMap<string, string> }).family.get('some.thing'), 'x', place);
    }
    assert.equal(familyOf('yarn.no.such.key'), undefined);
  });
});
