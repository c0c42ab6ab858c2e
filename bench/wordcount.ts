// How long does a word count take: three files of 35 KB, and 100 MB, also by a module in TypeScript and by commands, against coreutils?
import { execFileSync } from 'node:child_process';
import { closeSync, mkdirSync, mkdtempSync, openSync, readdirSync, readFileSync, rmSync, writeFileSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startProcesses } from '../test/support/processes.ts';
import { gatherTexts } from '../test/support/text.ts';
import type { Measure } from './measure.ts';
import type { Peer } from './peer.ts';

const root = join(import.meta.dirname, '..');
const module = join(root, 'examples/batch/word-count.ts');

const timed = async (run: () => unknown): Promise<number> => {
  const begin = performance.now();
  await run();
  return (performance.now() - begin) / 1000;
};

/** `bytes` of real text in one file, repeated as often as needed. */
function bigFile(source: Buffer, path: string, bytes: number): void {
  const file = openSync(path, 'w');
  for (let written = 0; written < bytes; written += source.length) writeSync(file, source);
  closeSync(file);
}

const failed = (what: string, output: string): never => {
  throw new Error(`${what} failed:\n${output.slice(-2000)}`);
};

export async function wordcount(peer?: Peer): Promise<Measure[]> {
  const folder = mkdtempSync(join(tmpdir(), 'bench-words-'));
  try {
    const texts = join(folder, 'texts');
    gatherTexts({ sources: [join(root, 'docs'), join(root, 'node_modules')], target: texts, fileBytes: 4e6, totalBytes: 8e6 });
    const text = Buffer.concat(readdirSync(texts).map((file) => readFileSync(join(texts, file))));
    const small = join(folder, 'small');
    const big = join(folder, 'big');
    mkdirSync(small);
    mkdirSync(big);
    for (let i = 0; i < 3; i++) writeFileSync(join(small, `${i}.txt`), text.subarray(i * 35_000, (i + 1) * 35_000));
    bigFile(text, join(big, 'text.txt'), 100e6);

    await using cluster = await startProcesses();
    const batch = async (...words: string[]) => {
      const { code, output } = await cluster.heddle('batch', ...words);
      if (code !== 0) failed(words[0]!, output);
    };
    const mapper = `tr -s "[:space:]" "\\n"`;
    const seconds = {
      small: await timed(() => batch('wordcount', small, join(folder, 'out-small'))),
      big: await timed(() => batch('wordcount', big, join(folder, 'out-big'))),
      module: await timed(() => batch('module', module, big, join(folder, 'out-module'))),
      streaming: await timed(() => batch('streaming', big, join(folder, 'out-streaming'), mapper, 'uniq -c')),
    };
    const coreutils = await timed(() =>
      execFileSync('bash', ['-c', `tr -s '[:space:]' '\\n' < ${big}/text.txt | LC_ALL=C sort | uniq -c > ${folder}/out-coreutils`]),
    );
    const theirs = peer && {
      small: await timed(() => peer.batch('wordcount', small, join(folder, 'peer-small'))),
      big: await timed(() => peer.batch('wordcount', big, join(folder, 'peer-big'))),
      streaming: await timed(() => peer.batch('streaming', big, join(folder, 'peer-streaming'), mapper, 'uniq -c')),
    };
    const beside = (value: number | undefined) => (value === undefined ? {} : { peer: value });
    return [
      { name: 'three files of 35 KB', value: seconds.small, unit: 's', ...beside(theirs?.small) },
      { name: '100 MB', value: seconds.big, unit: 's', ...beside(theirs?.big) },
      { name: '100 MB by a module in TypeScript, Hadoop’s in Java', value: seconds.module, unit: 's', ...beside(theirs?.big) },
      { name: '100 MB, streaming', value: seconds.streaming, unit: 's', ...beside(theirs?.streaming) },
      { name: '100 MB by coreutils (tr, sort, uniq)', value: coreutils, unit: 's' },
    ];
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
