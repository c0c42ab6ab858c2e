// Reduces that compute alone give others their turn.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { JobConfiguration } from '../job-configuration.ts';
import { Groups } from '../merge.ts';
import type { Program, ProgramContext, ReduceRun } from '../program.ts';
import type { RecordSink } from '../records.ts';
import { SortBuffer } from '../sort-buffer.ts';
import { moduleProgram } from './module.ts';
import { streaming } from './streaming.ts';
import { wordCount } from './word-count.ts';

const folder = mkdtempSync(join(tmpdir(), 'heddle-breaths-'));
after(() => rmSync(folder, { recursive: true }));
const module = join(folder, 'job.ts');
writeFileSync(
  module,
  'export const map = () => {}; export const reduce = (key: string, values: Iterable<string>) => { for (const _ of values); };',
);

const keys = 50;
const noContext = () => {
  throw new Error('no process is started here');
};
const streamed = (settings: Record<string, string>) => streaming(new JobConfiguration(settings), noContext as () => ProgramContext);
const programs: readonly (readonly [name: string, program: Program, settings: Record<string, string>])[] = [
  ['wordcount', wordCount, {}],
  ['module', await moduleProgram(module, new JobConfiguration({})), {}],
  ['records passed on', streamed({}), {}],
  ['aggregate', streamed({ 'mapred.reducer.class': 'org.apache.hadoop.mapred.lib.aggregate.ValueAggregatorReducer' }), {}],
];

for (const [name, program, settings] of programs)
  test(`${name}: after each group, until the task is to end early`, async () => {
    const buffer = new SortBuffer(1, () => 0, { keyKind: 'text', valueKind: 'text', bytes: 1 << 12 });
    for (let i = 0; i < keys; i++) {
      const key = Buffer.from(`LongValueSum:${i}`);
      buffer.add(key, 0, key.length, Buffer.from('1234'), 0, 4);
    }
    const output: RecordSink = { full: false, drain: async () => {}, collect: () => {}, collectInteger: () => {} };
    const reduce = (breathe: ReduceRun['breathe']) => {
      const run = { groups: new Groups(buffer.sorted(0)), output, breathe, configuration: new JobConfiguration(settings) };
      return program.reduce(run as unknown as ReduceRun);
    };
    let breaths = 0;
    await reduce(() => void breaths++);
    assert.equal(breaths, keys);
    await assert.rejects(
      reduce(() => Promise.reject(new Error('to end early'))),
      /to end early/,
    );
  });
