// The pages whose commands are typed.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Block, blocksOf } from './blocks.ts';

const root = join(import.meta.dirname, '../..');
const operating = readdirSync(join(root, 'docs/operate')).filter((name) => name.endsWith('.md'));

/** Their paths below the checkout. */
export const pages: readonly string[] = [
  'README.md',
  'CONTRIBUTING.md',
  'examples/batch/README.md',
  ...operating.map((name) => `docs/operate/${name}`).sort(),
];

/** @throws with page and line where a block cannot be read */
export function blocksOfPage(page: string): Block[] {
  try {
    return blocksOf(readFileSync(join(root, page), 'utf8'));
  } catch (error) {
    throw new Error(`${page}: ${(error as Error).message}`);
  }
}
