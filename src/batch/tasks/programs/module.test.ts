import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { after, describe, it } from 'node:test';
import { pathToFileURL } from 'node:url';
import { seededRandom } from '../../../lib/random.ts';
import { taskCounterGroup } from '../../counters/names.ts';
import { runLocalJob } from '../../test-support/local-job.ts';

const scratch = mkdtempSync(join(tmpdir(), 'heddle-module-'));
after(() => rmSync(scratch, { recursive: true }));
let serial = 0;

/** Runs a module over one text. */
async function run(
  source: string,
  text: string,
  reduces: number,
  settings: Record<string, string> = {},
  maps = 1,
  files: Readonly<Record<string, string>> = { 'job.mts': source },
) {
  const folder = join(scratch, String(++serial));
  mkdirSync(folder);
  const [module, path] = [join(folder, Object.keys(files)[0]!), join(folder, 'in')];
  for (const [name, content] of Object.entries(files)) writeFileSync(join(folder, name), content);
  writeFileSync(path, text);
  return runLocalJob({
    folder,
    splits: Array.from({ length: maps }, (_, i) => {
      const size = Math.ceil(Buffer.byteLength(text) / maps);
      return { path, start: i * size, length: size, hosts: [] };
    }),
    reduces,
    configuration: {
      'heddle.batch.program': 'module',
      'heddle.batch.module': module,
      'mapreduce.output.fileoutputformat.outputdir': join(folder, 'out'),
      ...settings,
    },
  });
}

const map = 'map(line: string, emit: (key: string, value: string) => void) { for (const word of line.split(" ")) emit(word, "1"); }';

describe('a job of a module', () => {
  it('may export its functions as one object, and choose the reduce of each key', async () => {
    const { output, failures } = await run(
      `export default { ${map}, reduce(key, values, emit) { emit(key, String([...values].length)); }, partition: (key, reduces) => (key === 'z' ? 0 : reduces - 1) };`,
      'b a z\nz a\n',
      2,
    );
    assert.deepEqual(failures, []);
    assert.deepEqual(output, ['z\t2', 'a\t2', 'b\t1'], 'the reduce of z comes first');
  });

  it('may be of either syntax, whatever package.json says of its folder', async () => {
    const commonJs = '{ "type": "commonjs" }';
    const count =
      "import { word } from './word.ts';\nexport default { map: (line: string, emit: (key: string, value: number) => void) => emit(word(line), 1) };";
    const folders: readonly Readonly<Record<string, string>>[] = [
      { 'job.ts': count, 'word.ts': 'export const word = (line: string): string => line;', 'package.json': commonJs },
      { 'job.js': 'export const map = (line, emit) => emit(line, 1);', 'package.json': commonJs },
      { 'job.js': 'module.exports = { map: (line, emit) => emit(line, 1) };', 'package.json': commonJs },
      {
        'job.ts':
          'const { word } = require("./word.js");\nmodule.exports = { map: (line: string, emit: Function) => emit(word(line), 1) };',
        'word.js': 'exports.word = (line) => line;',
        'package.json': commonJs,
      },
      { 'job.ts': count, 'word.ts': 'export const word = (line: string): string => line;', 'package.json': '{}' },
    ];
    for (const files of folders) {
      const { output, failures } = await run('', 'a\n', 1, {}, 1, files);
      assert.deepEqual([failures, output], [[], ['a\t1']], JSON.stringify(files));
    }
    const broken = await run('', 'a\n', 1, {}, 1, { 'job.ts': '// one\nexport const map = (;', 'package.json': commonJs });
    assert.match(broken.failures[0]!.diagnostic, /job\.ts cannot be loaded: Expression expected \(\/.*job\.ts:2\)$/m);
  });

  it('orders keys as its compare says, through spills, combiner, several maps and merges', async () => {
    const seed = 20_261_123;
    const random = seededRandom(seed);
    const numbers = Array.from({ length: 60_000 }, () => Math.floor(random.next() * 30_000));
    const { output, failures, counters } = await run(
      `const add = (key, values, emit) => { let sum = 0; for (const value of values) sum += Number(value); emit(key, sum); };
       export default { map: (line, emit) => emit(line, 1), combine: add, reduce: add, compare: (a, b) => b - a };`,
      `${numbers.join('\n')}\n`,
      1,
      { 'mapreduce.task.io.sort.mb': '0.3', 'mapreduce.task.io.sort.factor': '3' },
      4,
    );
    assert.deepEqual(failures, []);
    assert.ok(counters.get(taskCounterGroup, 'SPILLED_RECORDS') > 2 * numbers.length, 'there were spills, and merges of them');
    const counts = new Map<number, number>();
    for (const number of numbers) counts.set(number, (counts.get(number) ?? 0) + 1);
    const expected = [...counts].sort(([a], [b]) => b - a).map(([number, count]) => `${number}\t${count}`);
    assert.deepEqual(output, expected, `seed ${seed}`);
  });

  it('gives one call of reduce the neighbours that its group says belong together', async () => {
    const { output } = await run(
      `export default { map: (line, emit) => emit(line, line.slice(2)), group: (a, b) => a[0] === b[0],
         reduce: (key, values, emit) => emit(key, [...values].join('')) };`,
      'b 2\na 3\nb 1\na 1\n',
      1,
    );
    assert.deepEqual(output, ['a 1\t13', 'b 1\t12']);
  });

  it('with group and several reduces needs partition', async () => {
    const { failures } = await run(`export default { ${map}, group: () => true };`, 'a\n', 2);
    assert.match(failures[0]!.diagnostic, /exports 'group' without 'partition': with several reduces/);
  });

  it('runs setup before and cleanup after the records of each task, and counts', async () => {
    const { output, counters } = await run(
      `let lines = 0; let greeting = '';
       export async function setup(context) { greeting = context.setting('greeting'); }
       export function map(line, emit, position, context) { lines++; context.count('Own', 'bytes', line.length); emit('at ' + position, line); }
       export async function cleanup(emit, context) { emit(greeting, context.kind + ' ' + lines + ' ' + context.inputFile?.endsWith('in')); }`,
      'ab\nc\n',
      0,
      { greeting: 'end' },
    );
    assert.deepEqual(output, ['at 0\tab', 'at 3\tc', 'end\tMAP 2 true']);
    assert.equal(counters.get('Own', 'bytes'), 3);
  });

  it('keeps text as it is, whatever its letters and length', async () => {
    const words = ['ä', 'a', '', 'é'.repeat(30), 'x'.repeat(70_000), '日本', '🙂', 'a🙂'.repeat(5000)];
    const { output } = await run(`export default { map: (line, emit) => emit(line, line.length) };`, `${words.join('\n')}\n`, 1);
    assert.deepEqual(new Set(output), new Set(words.map((word) => `${word}\t${word.length}`)));
  });

  it('fails with a sentence where an export is no function, or compare answers no number', async () => {
    const odd = await run(`export default { ${map}, combine: 3 };`, 'a\n', 1);
    assert.match(odd.failures[0]!.diagnostic, /job\.mts: 'combine' is no function$/);
    const unordered = await run(`export default { ${map}, compare: () => 'x' };`, 'a b\n', 1);
    assert.match(unordered.failures[0]!.diagnostic, /compare answered x, which is no number/);
    const broken = await run('export function map( {', 'a\n', 1);
    assert.match(broken.failures[0]!.diagnostic, /job\.mts cannot be loaded: /);
    const named = await run(`export default { ${map}, reducer: (key, values, emit) => emit(key, 1) };`, 'a\n', 1);
    assert.match(named.failures[0]!.diagnostic, /job\.mts exports 'reducer', which nothing calls: its name is 'reduce'$/);
  });

  it('fails where something that is no text is emitted, or records are answered, instead of writing what nobody meant', async () => {
    for (const [exported, message] of [
      ['map: (line, emit) => emit(line)', /emit got undefined as value: give a text or a number/],
      ['map: (line, emit) => emit(null, 1)', /emit got null as key/],
      ['map: (line, emit) => emit(line, { count: 1 })', /emit got an object as value/],
      ["map: (line, emit) => emit(Symbol('a'), 1)", /emit got a symbol as key/],
      ['map: (line) => [[line, 1]]', /map answered a list: records are passed on by emit alone/],
      ['map: async (line) => [[line, 1]]', /map answered a list/],
      ['map: function* (line) { yield [line, 1]; }', /map answered an iterator/],
      ['map: async function* (line) { yield [line, 1]; }', /map answered an iterator/],
      [`${map}, reduce: (key, values) => [key, ...values]`, /reduce answered a list/],
      [`${map}, reduce: async (key, values) => [key, ...values]`, /reduce answered a list/],
      [`${map}, combine: function* (key, values) { yield key; }`, /combine answered an iterator/],
      [`${map}, partition: () => 0, group: (a, b) => (a < b ? -1 : 0)`, /group answered (-1|0): it says by true or false/],
    ] as const)
      assert.match((await run(`export default { ${exported} };`, 'a b\nb a\n', 2)).failures[0]?.diagnostic ?? '', message, exported);
    const { output, failures } = await run(
      'export const map = (line, emit) => { emit(1, true); emit(2n, 0.5); return line.length; }',
      'a\n',
      1,
    );
    assert.deepEqual([failures, output], [[], ['1\ttrue', '2\t0.5']]);
  });

  it('fails where what is not waited for answers later, or a partition is no whole number, instead of losing records', async () => {
    for (const [exported, message] of [
      ['combine: async (key, values, emit) => { await null; emit(key, 1); }', /combine answered a promise/],
      ['partition: async () => 0', /partition answered a promise/],
      ['partition: () => 0.5', /partition answered 0\.5, which is no whole number/],
      ["partition: () => '1'", /partition answered 1, which is no whole number/],
      ['partition: () => 0, group: async () => false, reduce: (key, values, emit) => emit(key, 1)', /group answered a promise/],
    ] as const)
      assert.match(
        (await run(`export default { ${map}, ${exported} };`, 'a b\nb a\n', 2)).failures[0]?.diagnostic ?? '',
        message,
        exported,
      );
  });

  it('fails where what it emits would be lost, or what it throws be noticed by nobody, and says why', () => {
    const later = 'setTimeout(() => emit(line, 1), 20)';
    const cases = [
      [`map: (line, emit) => { ${later}; }`, /emit was called after map had returned, where its record would be lost: let it await/],
      // The module catches what emit throws: it fails all the same.
      ['map: (line, emit) => { setTimeout(() => { try { emit(line, 1); } catch {} }, 20); }', /emit was called after map had returned/],
      ['map: (line, emit) => { void Promise.resolve().then(() => emit(line, 1)); }', /emit was called after map had returned/],
      [`${map}, reduce: (key, values, emit) => { setTimeout(() => emit(key, 1), 20); }`, /emit was called after reduce had returned/],
      [`${map}, combine: (key, values, emit) => { setTimeout(() => emit(key, 1)); }`, /after combine had returned.* has to emit at once/],
      [`${map}, reduce: (key, values) => { setTimeout(() => [...values], 20); }`, /nothing waits(.|\n)*read after the call/],
      [
        "map: async () => { setTimeout(() => { throw new Error('boom'); }); await new Promise(() => {}); }",
        /nothing waits for it(.|\n)*: boom/,
      ],
      [
        "map: async () => { Promise.reject(new RangeError('no')); await new Promise(() => {}); }",
        /nothing waits(.|\n)*Caused by: RangeError: no/,
      ],
      // At its own top level a module has started what emits in the end.
      [
        'map(line, emit) { late = () => emit(line, 1); } }; let late; setInterval(() => late?.(), 50); let unused = {',
        /emit was called after map had returned/,
      ],
      [`map: (line, emit) => new Promise((done) => { ${later}; setTimeout(done, 20); })`, /^ab\t1$/],
    ] as const;
    // What nobody catches goes to the process, which in a test is the test's.
    const folder = join(scratch, 'processes');
    mkdirSync(folder);
    writeFileSync(join(folder, 'in'), 'ab\n');
    for (const [i, [exported]] of cases.entries()) writeFileSync(join(folder, `${i}.mts`), `export default { ${exported} };`);
    const script = `import { runLocalJob } from ${JSON.stringify(pathToFileURL(resolve(import.meta.dirname, '../../test-support/local-job.ts')))};
      for (let i = 0; i < ${cases.length}; i++) {
        const { failures, output } = await runLocalJob({
          folder: \`${folder}/job\${i}\`, reduces: i === ${cases.length - 1} ? 0 : 1, splits: [{ path: '${folder}/in', start: 0, length: 3, hosts: [] }],
          configuration: { 'heddle.batch.program': 'module', 'heddle.batch.module': \`${folder}/\${i}.mts\`, 'mapreduce.output.fileoutputformat.outputdir': \`${folder}/out\${i}\` },
        });
        console.log(JSON.stringify(failures[0]?.diagnostic ?? output.join()));
      }
      process.exit();`;
    const { stdout, stderr } = spawnSync(process.execPath, ['--input-type=module', '-e', script], { encoding: 'utf8' });
    const said = stdout
      .trim()
      .split('\n')
      .map((line) => String(JSON.parse(line)));

    assert.equal(said.length, cases.length, stderr);
    for (const [i, [exported, message]] of cases.entries()) assert.match(said[i]!, message, exported);
  });

  it('fails where values are walked twice, which would find nothing, or an order contradicts itself', async () => {
    for (const [exported, message] of [
      [`${map}, reduce: (key, values, emit) => emit([...values].length, [...values].length)`, /values of a key can be walked once/],
      [
        `${map}, compare: (a, b) => (a > b ? 1 : 0)`,
        /compare contradicts itself: it answered [01] for "[abz]" and "[abz]", and [01] the other way/,
      ],
      [`${map}, compare: (a, b) => (a < b ? -1 : 1)`, /compare contradicts itself: it answered 1 for "(.)" and "\1", and 1 the other way/],
      [`${map}, compare: () => { throw new Error('no order'); }`, /no order/],
    ] as const)
      assert.match((await run(`export default { ${exported} };`, 'b a z b\na z\n', 1)).failures[0]?.diagnostic ?? '', message, exported);
    const { output } = await run(
      `export default { ${map}, reduce: (key, values, emit) => emit(key, values.map(Number).reduce((a, b) => a + b)) };`,
      'b a\nb\n',
      1,
    );
    assert.deepEqual(output, ['a\t1', 'b\t2']);
  });

  it('is told what it exports wrongly', async () => {
    for (const [source, message] of [
      [
        'export default function map(line, emit) { emit(line, 1); }',
        /no function 'map': its default export is a function; 'export default \{ map \}' is meant$/,
      ],
      [
        'export const map = (line, emit) => emit(line, 1); export default { reduce() {} };',
        /exports 'map' by name, and 'reduce' in its default export/,
      ],
      ['export default null;', /no function 'map'$/],
    ] as const)
      assert.match((await run(source, 'a\n', 1)).failures[0]?.diagnostic ?? '', message, source);
    const compiled = 'export default { __esModule: true, default: { map: (line, emit) => emit(line, 1) } };';
    assert.deepEqual((await run(compiled, 'a\n', 1)).output, ['a\t1']);
  });

  it('may have keys and counters of any name', async () => {
    const names = ['__proto__', 'constructor', 'hasOwnProperty', 'toString'];
    const { output, counters } = await run(
      `export default { map(line, emit, position, context) { emit(line, 1); context.count('__proto__', line); context.count(line, '__proto__'); } };`,
      `${names.join('\n')}\n`,
      1,
    );
    assert.deepEqual(output, names.map((name) => `${name}\t1`).sort());
    for (const name of names) assert.equal(counters.get('__proto__', name), name === '__proto__' ? 2 : 1, name);
  });
});
