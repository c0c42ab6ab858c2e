// The examples of examples/batch do what they say.
import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { taskCounterGroup } from '../../counters/names.ts';
import { runLocalJob } from '../../test-support/local-job.ts';

const examples = join(import.meta.dirname, '../../../../examples/batch');
const scratch = mkdtempSync(join(tmpdir(), 'heddle-examples-'));
after(() => rmSync(scratch, { recursive: true }));
let serial = 0;

async function run(example: string, inputs: Readonly<Record<string, string>> | string, reduces = 1, settings: Record<string, string> = {}) {
  const folder = join(scratch, String(++serial));
  mkdirSync(folder);
  let paths: string[];
  if (typeof inputs === 'string') paths = readdirSync(inputs).flatMap((name) => (/^[._]/.test(name) ? [] : [join(inputs, name)]));
  else
    paths = Object.entries(inputs).map(([name, text]) => {
      const path = join(folder, name);
      writeFileSync(path, text);
      return path;
    });
  const job = await runLocalJob({
    folder,
    splits: paths.map((path) => ({ path, start: 0, length: statSync(path).size, hosts: [] })),
    reduces,
    configuration: {
      'heddle.batch.program': 'module',
      'heddle.batch.module': join(examples, example),
      'mapreduce.output.fileoutputformat.outputdir': join(folder, 'out'),
      ...settings,
    },
  });
  assert.deepEqual(
    job.failures.map(({ diagnostic }) => diagnostic),
    [],
  );
  return { ...job, folder: join(folder, 'out') };
}

describe('the example', () => {
  it('word count counts words, and the top of its output is the most frequent ones', async () => {
    const counted = await run('word-count.ts', { a: 'b a  b\n', b: 'c a b\n' });
    assert.deepEqual(counted.output, ['a\t2', 'b\t3', 'c\t1']);
    const { output } = await run('top.ts', counted.folder, 1, { 'top.n': '2' });
    assert.deepEqual(output, ['b\t3', 'a\t2']);
  });

  it('grep tells each line with the text and its place', async () => {
    const { output, counters, folder } = await run('grep.ts', { a: 'one\ntwo\nthree e\n' }, 0, { 'grep.text': 'e' });
    const path = join(folder, '../a');
    assert.deepEqual(output, [`${path}:0\tone`, `${path}:8\tthree e`]);
    assert.equal(counters.get('grep', 'lines'), 2);
  });

  it('sort orders by number, over both reduces', async () => {
    const { output } = await run('sort.ts', { a: '3 x\n-1\n20\n', b: '3 a\n-7\n0\n' }, 2);
    assert.deepEqual(output, ['20\t', '3 a\t', '3 x\t', '0\t', '-1\t', '-7\t']);
  });

  it('join puts each order beside the name of its customer', async () => {
    const { output, counters } = await run(
      'join.ts',
      { orders: '1,tea\n2,jam\n1,ink\n9,nothing\nbad\n', customers: '1,Ada\n2,Bob\n3,Cy\n' },
      2,
    );
    assert.deepEqual([...output].sort(), ['1\tAda\tink', '1\tAda\ttea', '2\tBob\tjam']);
    assert.equal(counters.get('join', 'bad lines'), 1);
  });

  it('secondary sort has the values of each group in order', async () => {
    const { output, counters } = await run(
      'secondary-sort.ts',
      { a: 'rome 2024-02 11\noslo 2024-01 -5\nrome 2024-01 9\n', b: 'rome 2023-12 8\noslo 2023-01 -9\n' },
      2,
    );
    assert.deepEqual([...output].sort(), ['oslo\t-9 -5', 'rome\t8 9 11']);
    assert.equal(counters.get(taskCounterGroup, 'REDUCE_INPUT_GROUPS'), 2);
  });
});
