// What the documents tell people to type exists: commands with their options, scripts of the package, routes.
import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { before, describe, it } from 'node:test';
import type { Command } from 'commander';
import { createProgram } from '../src/cli/program.ts';

const root = join(import.meta.dirname, '..');
const documents = [
  ...['README.md', 'CONTRIBUTING.md', 'ARCHITECTURE.md', 'GLOSSARY.md'],
  ...readdirSync(join(root, 'docs'), { recursive: true, encoding: 'utf8' }).flatMap((name) =>
    name.endsWith('.md') ? [`docs/${name}`] : [],
  ),
];

/** A piece of code in a document: a line of a block, or what stands between back quotes. */
interface Code {
  readonly document: string;
  readonly line: number;
  readonly text: string;
}

function codeOf(document: string): Code[] {
  let inBlock = false;
  return readFileSync(join(root, document), 'utf8')
    .split('\n')
    .flatMap((text, index): Code[] => {
      const line = index + 1;
      if (/^\s*```/.test(text)) {
        inBlock = !inBlock;
        return [];
      }
      if (inBlock) return [{ document, line, text: text.trim() }];
      return [...text.matchAll(/`([^`]+)`/g)].map(([, quoted = '']) => ({ document, line, text: quoted }));
    });
}
const codes = documents.flatMap(codeOf);

/** The words of a command line up to where a shell, or the command that is run, goes on. */
function wordsOf(text: string): string[] {
  const words = text.match(/'[^']*'|"[^"]*"|\[[^\]]*\]|[^\s'"[]+/g) ?? [];
  const end = words.findIndex((word) => /^(#.*|\|.*|>.*|&&|;|--|\\)$/.test(word));
  return (end < 0 ? words : words.slice(0, end)).map((word) => word.replace(/^['"[]|['"\]]$/g, ''));
}

/** What is wrong with the words after `heddle`, or undefined. */
function faultOf(program: Command, words: readonly string[]): string | undefined {
  let command = program;
  const chain = [program];
  let at = 0;
  for (; at < words.length; at++) {
    const next = command.commands.find((each) => each.name() === words[at] || each.aliases().includes(words[at]!));
    if (!next) break;
    command = next;
    chain.push(command);
  }
  const word = words[at];
  const named = word !== undefined && /^[a-z][a-z-]*$/.test(word) ? word : undefined;
  if (command.commands.length > 0 && command.registeredArguments.length === 0 && named !== undefined)
    return `there is no command "${chain
      .slice(1)
      .map((each) => each.name())
      .join(' ')} ${named}"`.replace('  ', ' ');
  // `heddle batch … --file`: of any of its commands.
  const below = words[at] === '…' ? command.commands : [];
  for (const option of words.slice(at)) {
    const long = /^(--[a-z][a-z-]*)/.exec(option)?.[1];
    if (long === undefined || long === '--help' || long === '--version') continue;
    if (![...chain, ...below].some((each) => each.options.some((known) => known.long === long)))
      return `${command.name()} has no option ${long}`;
  }
  return undefined;
}

describe('decisions', () => {
  it('have a number each, which their heading says, too', () => {
    const numbers = readdirSync(join(root, 'docs/decisions')).map((name) => {
      const number = Number(/^\d{4}(?=-[a-z0-9-]+\.md$)/.exec(name)?.[0]);
      const [heading = ''] = readFileSync(join(root, 'docs/decisions', name), 'utf8').split('\n');
      assert.equal(Number(/^# (\d+)[.:] /.exec(heading)?.[1]), number, `${name}: ${heading}`);
      return number;
    });
    assert.equal(new Set(numbers).size, numbers.length, 'two have the same number');
  });
});

describe('the documents', () => {
  let program: Command;
  before(async () => {
    const refuse = () => Promise.reject(new Error('not here'));
    program = await createProgram({ startRole: refuse, startRoleInThread: refuse, stores: refuse });
  });

  it('stand all on the page that says which one to open', () => {
    const map = readFileSync(join(root, 'docs/README.md'), 'utf8');
    const pages = ['operate', 'reference'].flatMap((folder) =>
      readdirSync(join(root, 'docs', folder)).flatMap((name) => (name.endsWith('.md') ? [`${folder}/${name}`] : [])),
    );
    assert.ok(pages.length > 30);
    assert.deepEqual(
      pages.filter((page) => !map.includes(`(${page}`)),
      [],
    );
  });

  it('name commands and options that there are', () => {
    const faults: string[] = [];
    let seen = 0;
    for (const { document, line, text } of codes) {
      const command = /^(?:\$ )?(?:npm run heddle --|npx heddle|heddle) (.*)$/.exec(text)?.[1];
      if (command === undefined || command.startsWith('COMMAND')) continue;
      seen++;
      const fault = faultOf(program, wordsOf(command));
      if (fault !== undefined) faults.push(`${document}:${line}: ${text}: ${fault}`);
    }
    assert.deepEqual(faults, []);
    assert.ok(seen > 100, `${seen} commands`);
  });

  it('lead to files that there are, and those of the package to files of the package', () => {
    const { files } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { files: string[] };
    const packed = ['README.md', 'package.json', ...files];
    const isPacked = (path: string) => packed.some((each) => path === each || path.startsWith(`${each}/`));
    const examples = readdirSync(join(root, 'examples'), { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.md'));
    const pages = [...documents, 'CHANGELOG.md', 'clients/python/README.md', ...examples.map((name) => `examples/${name}`)];
    const faults: string[] = [];
    let seen = 0;
    for (const page of pages) {
      const text = readFileSync(join(root, page), 'utf8').replaceAll(/^\s*```[\s\S]*?^\s*```|`[^`\n]*`/gm, '');
      for (const [, target = ''] of text.matchAll(/\]\(([^)#\s]+)(?:#[^)\s]*)?\)/g)) {
        if (/^[a-z]+:/.test(target) || !/[./]/.test(target)) continue;
        seen++;
        const path = join(dirname(page), target);
        if (!existsSync(join(root, path))) faults.push(`${page}: there is no ${path}`);
        else if (isPacked(page) && !isPacked(path)) faults.push(`${page}: ${path} is not in the package`);
      }
    }
    assert.deepEqual(faults, []);
    assert.ok(seen > 100, `${seen} links`);
  });

  it('name scripts that there are', () => {
    const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { scripts: Record<string, string> };
    const faults = codes.flatMap(({ document, line, text }) =>
      [...text.matchAll(/\bnpm run ([a-z][\w:-]*)/g)].flatMap(([, name = '']) =>
        name in scripts ? [] : [`${document}:${line}: npm run ${name}`],
      ),
    );
    assert.deepEqual(faults, []);
  });

  it('name routes that there are', () => {
    const declared = readFileSync(join(root, 'docs/reference/routes.md'), 'utf8').matchAll(/`(\/[^`\s]*)`/g);
    const routes = [...new Set([...declared].map(([, path = '']) => path))].map((path) => path.split('/'));
    /** Whether the parts of a path could be those of a route: ids in capitals or with dots stand for parameters. */
    const fits = (parts: readonly string[], route: readonly string[]): boolean =>
      parts.every((part, at) => {
        const declaredPart = route[at];
        if (part === '…' || part === '*') return true;
        return declaredPart !== undefined && (declaredPart === part || declaredPart.startsWith(':') || declaredPart === '*');
      }) &&
      (parts.length === route.length || parts.at(-1) === '…' || parts.at(-1) === '*' || route.at(-1) === '*');
    const faults: string[] = [];
    let seen = 0;
    for (const { document, line, text } of codes) {
      if (document === 'docs/reference/routes.md') continue;
      for (const [, path = ''] of text.matchAll(/(?:^|[\s'"]|localhost:\d+|127\.0\.0\.1:\d+)(\/(?:api|ws)\/v[12]\/[^\s?'"#[,;)]*)/g)) {
        seen++;
        const parts = path.replace(/\/$/, '').split('/');
        if (!routes.some((route) => fits(parts, route))) faults.push(`${document}:${line}: ${path}`);
      }
    }
    assert.deepEqual(faults, []);
    assert.ok(seen > 100, `${seen} routes`);
  });
});
