// What a page has between fences, in order: commands that a reader types, files that a reader writes, output that the page shows. What a page
// takes for granted (a cluster that runs, a folder of input) stands in an HTML comment that begins with `<!-- sh`, which readers do not see.
import { spawnSync } from 'node:child_process';

/** Why a test does not run a block of commands: `sh needs=systemd`. Each stands for what the machine of a test cannot be expected to have. */
export const needs = {
  flink: 'a distribution of Flink',
  hadoop: "Hadoop's own programs",
  kerberos: 'a realm of Kerberos and a ticket',
  podman: 'podman, and the network for the image',
  spark: 'the network, for PySpark',
  systemd: 'root, and systemd as the first process',
  tests: 'all tests, of which this is one',
} as const;
export type Need = keyof typeof needs;

/** Languages of what is shown and neither typed nor, unless a word `file=NAME` says so, written. */
const shownLanguages = new Set(['json', 'nginx', 'properties', 'python', 'text', 'ts', 'xml', 'yaml']);

interface Part {
  /** Line of the page on which it begins, from 1. */
  readonly line: number;
  readonly text: string;
}
export type Block =
  | (Part & { readonly kind: 'commands'; readonly need: Need | undefined })
  /** Not seen by readers: what the page takes for granted. */
  | (Part & { readonly kind: 'granted' })
  /** A file that the reader writes where the commands are typed. */
  | (Part & { readonly kind: 'file'; readonly name: string })
  /** What the commands before it printed, among other lines. */
  | (Part & { readonly kind: 'output' })
  | (Part & { readonly kind: 'shown' });

/** @throws where the words behind a fence are none of those that are known */
function blockOf(words: readonly string[], part: Part): Block {
  const [language = '', mark, ...more] = words;
  const [, key, value = ''] = /^(needs|file)=(\S+)$/.exec(mark ?? '') ?? [];
  if (more.length > 0) throw new Error(`there is one word behind the language at most, not "${more.join(' ')}"`);
  if (language === 'sh') {
    if (mark === undefined) return { ...part, kind: 'commands', need: undefined };
    if (key === 'needs' && value in needs) return { ...part, kind: 'commands', need: value as Need };
    throw new Error(`"${mark}" is no reason that there is: needs=${Object.keys(needs).join(', needs=')}`);
  }
  if (!shownLanguages.has(language))
    throw new Error(`a fence says what it holds: sh, ${[...shownLanguages].join(', ')}; not "${language}"`);
  if (mark === undefined) return { ...part, kind: 'shown' };
  if (language === 'text' && mark === 'output') return { ...part, kind: 'output' };
  if (key === 'file') return { ...part, kind: 'file', name: value };
  throw new Error(`"${mark}" behind ${language} means nothing`);
}

/**
 * The blocks of a page in Markdown.
 * @throws with the line where a fence says nothing of what it holds, or what nobody knows, or commands stand outside of fences
 */
export function blocksOf(page: string): Block[] {
  const blocks: Block[] = [];
  let open: { readonly words: string[]; readonly line: number; readonly closes: RegExp; readonly indent: number } | undefined;
  let text: string[] = [];
  for (const [index, content] of page.split('\n').entries()) {
    const line = index + 1;
    if (open?.closes.test(content)) {
      const part = { line: open.line, text: text.map((each) => `${each.slice(open?.indent)}\n`).join('') };
      try {
        blocks.push(open.words[0] === '<!--' ? { ...part, kind: 'granted' } : blockOf(open.words, part));
      } catch (error) {
        throw new Error(`line ${open.line}: ${(error as Error).message}`);
      }
      open = undefined;
      text = [];
    } else if (open) {
      text.push(content);
    } else {
      const [, indent = '', words = ''] = /^( *)```(.*)$/.exec(content) ?? [];
      if (/^ *```/.test(content)) {
        open = { words: words.trim().split(/\s+/), line, closes: /^ *```\s*$/, indent: indent.length };
      } else if (/^<!-- sh$/.test(content)) open = { words: ['<!--'], line, closes: /^-->$/, indent: 0 };
      else if (/^ {4,}(?:heddle|curl|npm) /.test(content)) throw new Error(`line ${line}: commands stand in a fence: ${content.trim()}`);
    }
  }
  if (open) throw new Error(`line ${open.line}: the block has no end`);
  return blocks;
}

/** The commands of a block, each with what it needs to be whole: lines of a text in quotes, of a here-document, of a loop. */
export function commandsOf({ line, text }: Part): Part[] {
  const commands: Part[] = [];
  let begun: Part | undefined;
  for (const [index, content] of text.split('\n').entries()) {
    if (!begun && /^\s*(?:#.*)?$/.test(content)) continue;
    begun = { line: begun?.line ?? line + 1 + index, text: `${begun?.text ?? ''}${content}\n` };
    // What bash holds for unfinished fails, or (a here-document) warns.
    const { status, stderr } = spawnSync('bash', ['-n'], { input: begun.text, encoding: 'utf8' });
    if (status !== 0 || stderr !== '' || /\\\n$/.test(begun.text)) continue;
    commands.push(begun);
    begun = undefined;
  }
  if (begun) throw new Error(`line ${begun.line}: bash finds no end of ${begun.text.trim()}`);
  return commands;
}

/** What stays until Ctrl-C: a cluster or a role in the foreground, the quickstart, what follows events or a log. */
const staying = [
  /\bheddle(?: --)? (?:up|start)\b(?!.*--detach)/,
  /\bnpm run quickstart\b(?!.*--once)/,
  /\bheddle(?: --)? (?:events|app logs|job logs)\b.* (?:--follow|-f)\b/,
];

/** Whether a command starts a whole cluster, so that one that runs has to end before. */
export const startsCluster = (command: string): boolean => /\bheddle(?: --)? up\b|\bnpm run quickstart\b/.test(command);

/** Whether a command does not end by itself. */
export const stays = (command: string): boolean => staying.some((pattern) => pattern.test(command));

/** What a line is without what differs from one run to the next: ids, numbers with their units, widths of columns. */
const shapeOf = (line: string): string =>
  line
    .trim()
    .replace(/\d+(?:\.\d+)?(?: (?:h|min|s|ms)\b)*/g, '#')
    .replace(/(?:# ?)+/g, '# ')
    .replace(/\s+/g, ' ')
    .trim();

/** Lines that a page shows and that were not printed in that order, numbers aside; `…` stands for anything. */
export function missingLines(shown: string, printed: string): string[] {
  const lines = printed.split('\n').map(shapeOf);
  let from = 0;
  return shown.split('\n').filter((line) => {
    const shape = shapeOf(line);
    if (shape === '') return false;
    const parts = shape.split('…').map((part) => part.trim());
    const pattern = new RegExp(`^${parts.map(RegExp.escape).join('.*')}$`);
    const at = lines.findIndex((each, index) => index >= from && pattern.test(each));
    if (at >= 0) from = at + 1;
    return at < 0;
  });
}
