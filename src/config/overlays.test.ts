import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { environmentName, parseYaml, readEnvironment, splitAssignment } from './overlays.ts';
import { allSettings } from './settings/all.ts';
import { ConfigurationError } from './table.ts';

fc.configureGlobal({ seed: Number(process.env['HEDDLE_TEST_SEED'] ?? 20_261_121) });

const yaml = (text: string) => Object.fromEntries(parseYaml(text, 'heddle.yaml'));
function refused(action: () => unknown, message: RegExp): void {
  assert.throws(action, (error) => error instanceof ConfigurationError && message.test(error.message));
}

describe('heddle.yaml', () => {
  it('joins nested names with dots, and may mix both forms', () => {
    assert.deepEqual(yaml('heddle:\n  log: { level: debug }\n  staging.user-quota: 5g\nyarn.acl.enable: true\n'), {
      'heddle.log.level': 'debug',
      'heddle.staging.user-quota': '5g',
      'yarn.acl.enable': 'true',
    });
  });

  it('joins lists with commas, and has texts of numbers and truths', () => {
    assert.deepEqual(yaml('a: [x, 2, true]\nb: 1.50\nc: 1e3\nd: "1.50"\ne: []\nf: 0x10\ng: "a\\nb"'), {
      a: 'x,2,true',
      b: '1.5',
      c: '1000',
      d: '1.50',
      e: '',
      f: '16',
      g: 'a\nb',
    });
  });

  it('leaves out what is empty', () => {
    assert.deepEqual(yaml('a:\nb: ~\nc: null\nd: ""\ne: {}\n'), { d: '' });
    for (const text of ['', '# nothing\n', '---\n', '~']) assert.deepEqual(yaml(text), {}, text);
  });

  it('has the last value of a name in both forms', () => {
    assert.deepEqual(yaml('a.b: 1\na: { b: 2 }'), { 'a.b': '2' });
  });

  it('that is no map is refused', () => {
    for (const text of ['- a\n- b', 'word', '5', '"a: b"'])
      refused(() => yaml(text), /^heddle\.yaml: document: is not a map of settings\. Write lines such as "heddle\.log\.level: debug"\.$/);
  });

  it('that is no YAML is refused with its line', () => {
    refused(() => yaml('a: 1\nb: [1\nc: 2'), /^heddle\.yaml: line [234]: .*Repair the YAML\.$/);
    refused(() => yaml('a: 1\na: 2'), /^heddle\.yaml: line 2: .*unique/i);
    refused(() => yaml('a: "x'), /Repair the YAML/);
    refused(() => yaml('\ta: 1'), /Repair the YAML/);
  });

  it('with lists of maps is refused by the name of the list', () => {
    refused(() => yaml('queues:\n  all:\n    - name: a\n'), /^heddle\.yaml: queues\.all: is a list of maps\. Give texts or numbers\.$/);
    refused(() => yaml('a: [[1]]'), /: a: is a list of maps/);
  });

  it('cannot be blown up by aliases', () => {
    const bomb = `a: &a [x,x]\nb: &b [*a,*a]\nc: [*b,*b]\n`;
    refused(() => yaml(bomb), /^heddle\.yaml: document: repeats parts by alias|is a list of maps/);
    refused(() => yaml('a: &x 1\nb: *x'), /repeats parts by alias/);
  });

  it('of any text is read or refused', () => {
    fc.assert(
      fc.property(
        fc.string({
          unit: fc.constantFrom('a', ':', ' ', '\n', '-', '[', ']', '{', '}', '"', "'", '&', '*', '!', '|', '#', '1', '.', '~'),
        }),
        (text) => {
          try {
            for (const value of Object.values(yaml(text))) assert.equal(typeof value, 'string');
          } catch (error) {
            assert.ok(error instanceof ConfigurationError, `${JSON.stringify(text)}: ${String(error)}`);
          }
        },
      ),
      { numRuns: 500 },
    );
  });
});

describe('the environment', () => {
  it('has a name for every setting, and no two settings share one', () => {
    const cases: [string, string][] = [
      ['heddle.log.level', 'HEDDLE_LOG_LEVEL'],
      ['yarn.acl.enable', 'HEDDLE_YARN_ACL_ENABLE'],
      ['yarn.nodemanager.aux-services', 'HEDDLE_YARN_NODEMANAGER_AUX_SERVICES'],
      ['mapreduce.jobhistory.webapp.https.address', 'HEDDLE_MAPREDUCE_JOBHISTORY_WEBAPP_HTTPS_ADDRESS'],
    ];
    for (const [key, name] of cases) assert.equal(environmentName(key), name);
    const names = new Map<string, string>();
    for (const [key, { type }] of allSettings()) {
      if (type === 'family') continue;
      const name = environmentName(key);
      assert.match(name, /^HEDDLE_[A-Z0-9_]+$/);
      assert.equal(names.get(name), undefined, `${key} and ${names.get(name)} are both ${name}`);
      names.set(name, key);
    }
    assert.ok(!names.has('HEDDLE_SET'));
  });

  it('sets known keys by their names, an empty value too', () => {
    const found = readEnvironment({ HEDDLE_LOG_LEVEL: 'debug', HEDDLE_YARN_ACL_ENABLE: '', HEDDLE_OTHER: 'x', PATH: '/bin' }, [
      'heddle.log.level',
      'yarn.acl.enable',
    ]);
    assert.deepEqual(Object.fromEntries(found), {
      'heddle.log.level': { value: 'debug', source: 'environment HEDDLE_LOG_LEVEL' },
      'yarn.acl.enable': { value: '', source: 'environment HEDDLE_YARN_ACL_ENABLE' },
    });
    assert.equal(readEnvironment({ PATH: '/bin' }, ['heddle.log.level']).size, 0);
  });

  it('sets any key by HEDDLE_SET, line by line; a variable of its own counts before', () => {
    const found = readEnvironment({ HEDDLE_SET: '\n a.b = c=d \n\nheddle.log.level=info\n', HEDDLE_LOG_LEVEL: 'debug' }, [
      'heddle.log.level',
    ]);
    assert.deepEqual(
      [...found].map(([key, { value, source }]) => [key, value, source]),
      [
        ['a.b', ' c=d', 'environment HEDDLE_SET'],
        ['heddle.log.level', 'debug', 'environment HEDDLE_LOG_LEVEL'],
      ],
    );
    refused(
      () => readEnvironment({ HEDDLE_SET: 'a.b' }, []),
      /^environment HEDDLE_SET: 'a\.b': is not key=value\. Write for example yarn\.acl\.enable=true\.$/,
    );
  });
});

describe('assignments', () => {
  it('end their key at the first equals sign', () => {
    assert.deepEqual(splitAssignment('a=b=c', 'x'), ['a', 'b=c']);
    assert.deepEqual(splitAssignment(' a = b ', 'x'), ['a', ' b ']);
    assert.deepEqual(splitAssignment('a=', 'x'), ['a', '']);
    for (const text of ['', 'a', '=a', '=']) refused(() => splitAssignment(text, 'command line'), /^command line: '.*': is not key=value/);
  });
});
