import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { runLocalJob } from '../../test-support/local-job.ts';

const scratch = mkdtempSync(join(tmpdir(), 'heddle-module-'));
after(() => rmSync(scratch, { recursive: true }));
let serial = 0;

/** Runs a module over one text. */
async function run(source: string, text: string, reduces: number) {
  const folder = join(scratch, String(++serial));
  mkdirSync(folder);
  const [module, path] = [join(folder, 'job.mts'), join(folder, 'in')];
  writeFileSync(module, source);
  writeFileSync(path, text);
  return runLocalJob({
    folder,
    splits: [{ path, start: 0, length: text.length, hosts: [] }],
    reduces,
    configuration: {
      'heddle.batch.program': 'module',
      'heddle.batch.module': module,
      'mapreduce.output.fileoutputformat.outputdir': join(folder, 'out'),
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

  it('with a function that jobs do not have fails with its name', async () => {
    const { failures } = await run(`export function ${map}\nexport function compare(a, b) { return 0; }`, 'a\n', 1);
    assert.match(failures[0]!.diagnostic, /job\.mts exports a function 'compare', which jobs of modules do not have$/);
  });
});
