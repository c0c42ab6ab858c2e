// Word count: words are what lies between blanks, tabs, line ends and form feeds; each is counted (Hadoop's example WordCount).
import type { MapRun, Program, ReduceRun } from '../program.ts';

const separators = new Uint8Array(256);
for (const byte of [32, 9, 10, 13, 12]) separators[byte] = 1;

/** Bytes that are not UTF-8 become replacement characters, as when Java reads them as text. */
function repaired(buffer: Buffer, start: number, end: number): Buffer | undefined {
  const text = buffer.toString('utf8', start, end);
  if (!text.includes('\ufffd')) return undefined;
  return Buffer.from(text);
}

async function map(run: MapRun): Promise<void> {
  const { output } = run;
  await run.forEachLine((buffer, start, end) => {
    let at = start;
    while (at < end) {
      if (separators[buffer[at]!] === 1) {
        at++;
        continue;
      }
      const from = at;
      let signs = 0;
      for (; at < end; at++) {
        const byte = buffer[at]!;
        if (separators[byte] === 1) break;
        signs |= byte;
      }
      const replacement = signs < 0x80 ? undefined : repaired(buffer, from, at);
      if (replacement === undefined) output.collectInteger(buffer, from, at, 1);
      else output.collectInteger(replacement, 0, replacement.length, 1);
    }
  });
}

async function reduce({ groups, output, breathe }: ReduceRun): Promise<void> {
  const { cursor } = groups;
  while (groups.nextGroup()) {
    let sum = 0;
    while (groups.nextValue()) sum = (sum + cursor.buffer.readInt32BE(cursor.valueStart)) | 0;
    const { key } = groups;
    output.collectInteger(key, 0, key.length, sum);
    const waiting = breathe();
    if (waiting !== undefined) await waiting;
  }
}

export const wordCount: Program = {
  api: 'mapreduce',
  keyKind: 'text',
  valueKind: 'int',
  readsFiles: true,
  writesFiles: true,
  combiner: { fold: (left, right) => (left + right) | 0 },
  map,
  reduce,
};
