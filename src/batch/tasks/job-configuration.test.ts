// A job's settings as its tasks read them: what Hadoop's Configuration makes of the same texts.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { BadSetting, JobConfiguration } from './job-configuration.ts';
import { taskVariables } from './job-variables.ts';

const of = (values: Record<string, string>) => new JobConfiguration(values);

test('settings are given as an object or as pairs, later ones over earlier ones', () => {
  assert.equal(of({ a: '1' }).get('a'), '1');
  const pairs = new JobConfiguration([
    ['a', '1'],
    ['a', '2'],
    ['b', '${a}'],
  ]);
  assert.equal(pairs.get('b'), '2');
  assert.equal(pairs.raw('b'), '${a}');
  assert.deepEqual(
    [...pairs.entries()],
    [
      ['a', '2'],
      ['b', '${a}'],
    ],
  );
  assert.equal(pairs.get('c'), undefined);
});

describe('references', () => {
  test('are replaced by the settings that they name, however deep', () => {
    const settings = of({ user: 'ann', home: '/data/${user}', data: '${home}/in', twice: '${user}-${user}' });
    assert.equal(settings.get('data'), '/data/ann/in');
    assert.equal(settings.get('twice'), 'ann-ann');
    assert.equal(settings.expand('in ${data}!'), 'in /data/ann/in!');
  });

  test('that name nothing stay as they are', () => {
    const settings = of({ a: '${none}/${a b}/${}', b: '$a {a} ${a' });
    assert.equal(settings.get('a'), '${none}/${a b}/${}');
    assert.equal(settings.get('b'), '$a {a} ${a');
  });

  test('that lead back to themselves end', () => {
    const settings = of({ a: '${b}', b: '${a}', c: 'x${c}' });
    assert.match(settings.get('a')!, /^\$\{[ab]\}$/);
    assert.match(settings.get('c')!, /^x{20,21}\$\{c\}$/, 'after twenty replacements');
  });

  test('may name the environment, with a word for where it is not set', (t) => {
    process.env['HEDDLE_TEST_COLOUR'] = 'green';
    t.after(() => delete process.env['HEDDLE_TEST_COLOUR']);
    const settings = of({
      set: '${env.HEDDLE_TEST_COLOUR}',
      unset: '${env.HEDDLE_TEST_SHAPE}',
      otherwise: '${env.HEDDLE_TEST_SHAPE:-round}',
      short: '${env.HEDDLE_TEST_SHAPE-square}',
    });
    assert.equal(settings.get('set'), 'green');
    assert.equal(settings.get('unset'), '${env.HEDDLE_TEST_SHAPE}');
    assert.equal(settings.get('otherwise'), 'round');
    assert.equal(settings.get('short'), 'square');
  });
});

describe('readers', () => {
  test('of numbers take decimals, hexadecimals and Java’s suffixes', () => {
    for (const [text, value] of [
      ['7', 7],
      [' -2.5 ', -2.5],
      ['1e3', 1000],
      ['0x10', 16],
      ['0.8f', 0.8],
      ['12L', 12],
      ['3d', 3],
      ['', 99],
      ['  ', 99],
    ] as const)
      assert.equal(of({ n: text }).number('n', 99), value, JSON.stringify(text));
    assert.equal(of({}).number('n', 99), 99);
    assert.equal(of({ n: '${m}', m: '5' }).number('n', 99), 5);
  });

  test('of numbers refuse what is none, with the setting’s name', () => {
    for (const text of ['many', '1.2.3', 'NaN', 'Infinity', '5 m'])
      assert.throws(() => of({ 'a.b': text }).number('a.b', 1), new BadSetting(`a.b: '${text}' is not a number`));
    assert.throws(() => of({ 'a.b': '2.5' }).integer('a.b', 1), new BadSetting("a.b: '2.5' is not a whole number"));
    assert.equal(of({ 'a.b': '2.0' }).integer('a.b', 1), 2);
  });

  test('of sizes take binary suffixes', () => {
    for (const [text, value] of [
      ['128', 128],
      ['1k', 1024],
      ['2M', 2 << 20],
      ['3mb', 3 << 20],
      ['1g', 1 << 30],
      ['1T', 2 ** 40],
      ['', 7],
    ] as const)
      assert.equal(of({ size: text }).bytes('size', 7), value, text);
    assert.throws(() => of({ size: '1.5k' }).bytes('size', 7), BadSetting);
    assert.throws(() => of({ size: 'k' }).bytes('size', 7), BadSetting);
  });

  test('of truths take nothing but true and false', () => {
    assert.equal(of({ a: ' TRUE ' }).boolean('a', false), true);
    assert.equal(of({ a: 'false' }).boolean('a', true), false);
    for (const text of ['yes', '1', '']) {
      assert.equal(of({ a: text }).boolean('a', true), true);
      assert.equal(of({ a: text }).boolean('a', false), false);
    }
  });

  test('of lists split at commas and drop what is empty', () => {
    assert.deepEqual(of({ a: ' x, y ,,z,' }).list('a'), ['x', 'y', 'z']);
    assert.deepEqual(of({}).list('a'), []);
  });

  test('of texts give the word for an absent setting, and an empty one as it is', () => {
    assert.equal(of({}).text('a', 'otherwise'), 'otherwise');
    assert.equal(of({ a: '' }).text('a', 'otherwise'), '');
  });
});

test('tasks get the variables of their kind over those of all, of one key or of a key each', () => {
  const settings = new JobConfiguration({
    'mapreduce.admin.user.env': 'A=1,B=1',
    'mapred.child.env': 'B=2, C=2 ,=x,no',
    'mapreduce.map.env': 'C=3',
    'mapreduce.map.env.D': 'x,y',
    'mapreduce.reduce.env': 'E=5',
  });
  assert.deepEqual(taskVariables(settings, 'MAP'), { A: '1', B: '2', C: '3', D: 'x,y' });
  assert.deepEqual(taskVariables(settings, 'REDUCE'), { A: '1', B: '2', C: '2 ', E: '5' });
});
