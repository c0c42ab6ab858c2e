// How often the sleep job waits.
import assert from 'node:assert/strict';
import { it } from 'node:test';
import type { ReduceRun } from '../program.ts';
import { sleepJob } from './sleep.ts';

/** What a reduce says while it waits for keys, each of which came from so many maps. */
async function waits(keys: number, maps: number, settings: Record<string, number>): Promise<string[]> {
  const said: string[] = [];
  let group = 0;
  let left = 0;
  const groups = {
    nextGroup() {
      left = maps;
      return group++ < keys;
    },
    nextValue: () => left-- > 0,
  };
  const value = (name: string, otherwise: number): number => settings[name] ?? otherwise;
  await sleepJob.reduce({
    groups,
    breathe: () => undefined,
    configuration: { integer: value, number: value },
    touch: () => {},
    setStatus: (text: string) => void said.push(text),
    setProgress: () => undefined,
    waitsFor: () => {},
    signal: new AbortController().signal,
  } as unknown as ReduceRun);
  return said;
}

it('a reduce waits once for each of its keys, however many maps there are', async () => {
  const settings = { 'mapreduce.sleepjob.reduce.sleep.time': 6, 'mapreduce.sleepjob.reduce.sleep.count': 3 };
  const expected = [6, 4, 2].map((leftMs) => `Sleeping... (${leftMs}) ms left`);
  for (const maps of [1, 8]) assert.deepEqual(await waits(3, maps, settings), expected);
});
