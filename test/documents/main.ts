// npm run test:documents: types the commands of README and docs/operate as they stand there, each page in a box of its own, in order.
// A command has to succeed, and to print what the page shows of it. Marks behind fences: blocks.ts.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { after, describe, it, type TestContext } from 'node:test';
import { chosenNames, readArguments } from '../../scripts/arguments.ts';
import { type Block, commandsOf, missingLines, needs, startsCluster, stays } from './blocks.ts';
import { blocksOfPage, pages } from './pages.ts';
import { Reader, whyNoBoxes } from './reader.ts';

/** For one command; machines that check are busy with other things. */
const limitMs = 240_000;
const noBoxes = whyNoBoxes();
const nameOf = (page: string) => basename(page, '.md');
const usage = 'npm run test:documents -- [PAGE …]';
const { positionals } = readArguments(usage, { allowPositionals: true });
const names = chosenNames(usage, 'page', positionals, [...new Set(pages.map(nameOf))]);
const chosen = pages.filter((page) => names.includes(nameOf(page)));
const cache = mkdtempSync(join(tmpdir(), 'heddle-compiled-'));
after(() => rmSync(cache, { recursive: true, force: true }));
let typed = 0;
const left = new Set<string>(noBoxes === undefined ? [] : [noBoxes]);
// After the summary, so that it is what is read last.
process.once('exit', () => console.log(`Typed ${typed} blocks${left.size > 0 ? `; left out what needs ${[...left].join('; ')}` : ''}.`));

type Commands = Extract<Block, { kind: 'commands' }>;

/** Ctrl-C for what stays. @throws where it does not end well */
async function endStaying(reader: Reader, at: string): Promise<void> {
  const { output, status } = await reader.type('END');
  assert.equal(status, 0, `${at}\nbefore it Ctrl-C\n${output}`);
}

/** Types each command of a block and gives what all of them printed. @throws at the first that fails */
async function typeBlock(reader: Reader, page: string, block: Commands): Promise<string> {
  let printed = '';
  for (const { line, text } of commandsOf(block)) {
    const at = `${page}:${line}: ${text.trim()}`;
    if (startsCluster(text)) await endStaying(reader, at);
    const { output, status } = await reader.type(stays(text) ? 'STAY' : 'RUN', text);
    assert.equal(status, 0, `${at}\nended with ${status}:\n${output}`);
    printed += output;
  }
  return printed;
}

/** Goes through a page; what is written and granted on the way belongs to no test of its own. */
async function read(page: string, t: TestContext): Promise<void> {
  await using reader = new Reader(cache, limitMs);
  let printed = '';
  const prepare = async ({ line, text }: { readonly line: number; readonly text: string }) => {
    const { output, status } = await reader.type('GRANTED', text);
    assert.equal(status, 0, `${page}:${line}: ${text.trim()}\nwhich the page takes for granted, ended with ${status}:\n${output}`);
  };
  for (const block of blocksOfPage(page)) {
    if (block.kind === 'granted') for (const command of commandsOf(block)) await prepare(command);
    if (block.kind === 'file') await prepare({ ...block, text: `cat >'${block.name}' <<'END_OF_FILE'\n${block.text}END_OF_FILE\n` });
    if (block.kind === 'output') {
      const shown = printed;
      await t.test(`line ${block.line}: what it printed`, () => {
        assert.deepEqual(missingLines(block.text, shown), [], `${page}:${block.line}: printed was\n${shown}`);
      });
    }
    if (block.kind === 'commands') {
      const [first = ''] = block.text.split('\n');
      const need = block.need && needs[block.need];
      if (need) left.add(need);
      await t.test(`line ${block.line}: ${first}`, { skip: need ?? false }, async () => {
        printed = await typeBlock(reader, page, block);
        typed++;
      });
    }
  }
  await endStaying(reader, `${page}: the end`);
}

describe('the commands of', { concurrency: 2 }, () => {
  for (const page of chosen) {
    const typedBlocks = blocksOfPage(page).filter(({ kind }) => kind === 'commands' || kind === 'granted').length;
    // Each command has its limit; a page with many may take as long as they do.
    if (blocksOfPage(page).some(({ kind }) => kind === 'commands'))
      it(page, { skip: noBoxes ?? false, timeout: (typedBlocks + 1) * limitMs }, (t) => read(page, t));
  }
});
