import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { type ErrorCode, errorCatalogue, Failure, failure } from '../errors.ts';
import { batchErrors } from './batch.ts';
import { clusterErrors } from './cluster.ts';
import { commonErrors } from './common.ts';
import type { ErrorEntry } from './entry.ts';
import { historyErrors } from './history.ts';
import { nodeErrors } from './node.ts';
import { timelineErrors } from './timeline.ts';

const tables = { batchErrors, clusterErrors, commonErrors, historyErrors, nodeErrors, timelineErrors };
const entries = Object.entries(errorCatalogue) as [ErrorCode, ErrorEntry][];
const placeholdersOf = (message: string): string[] => [...message.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name);

/** Codes that are not given any more; they stay listed, so that none is used again for something else. */
const retired = ['BODY_MEMBER_MALFORMED', 'NOT_FOUND', 'PROXY_BODY_TOO_LARGE'];

const source = join(import.meta.dirname, '..', '..');
const files = (readdirSync(source, { recursive: true }) as string[])
  .filter((name) => name.endsWith('.ts') && !name.endsWith('.test.ts') && !name.startsWith(join('model', 'errors')))
  .map((name) => ({ name, text: readFileSync(join(source, name), 'utf8') }));

/** The text from the bracket at `from` to the one that closes it, without both; strings are passed over. */
function bracketed(text: string, from: number): string {
  let depth = 0;
  for (let at = from; at < text.length; at++) {
    const character = text[at]!;
    if (character === "'" || character === '"' || character === '`') {
      for (at++; at < text.length && text[at] !== character; at++) if (text[at] === '\\') at++;
    } else if ('([{'.includes(character)) depth++;
    else if (')]}'.includes(character) && --depth === 0) return text.slice(from + 1, at);
  }
  return '';
}

/** The arguments or members of a list, split at its own commas. */
function parts(text: string): string[] {
  const found: string[] = [];
  let from = 0;
  for (let at = 0; at < text.length; at++) {
    const character = text[at]!;
    if ('([{'.includes(character)) at += bracketed(text, at).length + 1;
    else if (character === "'" || character === '"' || character === '`') {
      for (at++; at < text.length && text[at] !== character; at++) if (text[at] === '\\') at++;
    } else if (character === ',') {
      found.push(text.slice(from, at));
      from = at + 1;
    }
  }
  return [...found, text.slice(from)].map((part) => part.trim()).filter((part) => part !== '');
}

interface Use {
  readonly file: string;
  readonly code: string;
  /** Names of the parameters; undefined where they are not written out at the call. */
  readonly given: string[] | undefined;
}

/** Every `failure('CODE', …)` and `new Failure('CODE', …)` of the product. */
function uses(): Use[] {
  return files.flatMap(({ name, text }) =>
    [...text.matchAll(/\b(?:failure|new Failure)\(\s*'([A-Z_]+)'/g)].map((match) => {
      const [, parameters] = parts(bracketed(text, match.index + match[0].indexOf('(')));
      if (parameters === undefined) return { file: name, code: match[1]!, given: [] };
      const isLiteral = parameters.startsWith('{') && !parameters.includes('...');
      const given = isLiteral ? parts(parameters.slice(1, -1)).map((part) => /^\w+/.exec(part)?.[0] ?? part) : undefined;
      return { file: name, code: match[1]!, given };
    }),
  );
}

describe('the entries of the catalogue', () => {
  it('have codes in capitals, each in one table', () => {
    const codes = Object.values(tables).flatMap((table) => Object.keys(table));
    assert.equal(new Set(codes).size, codes.length, 'two tables share a code');
    assert.deepEqual(codes.toSorted(), Object.keys(errorCatalogue).toSorted());
    for (const code of codes) assert.match(code, /^[A-Z][A-Z0-9]*(_[A-Z0-9]+)*$/);
  });

  it('have a status of a refusal; only what is no mistake of the caller is 5xx', () => {
    const known = new Set([400, 401, 403, 404, 405, 406, 409, 413, 415, 422, 429, 500, 501, 502, 503, 507]);
    for (const [code, { status }] of entries) assert.ok(known.has(status), `${code}: ${status}`);
    const internal = entries.filter(([, { status }]) => status === 500).map(([code]) => code);
    assert.deepEqual(internal, ['INTERNAL']);
  });

  it('have the full name of a Java class, of which clients are shown the simple name', () => {
    for (const [code, { javaClass }] of entries) assert.match(javaClass, /^[a-z]\w*(\.[a-z]\w*)+(\.[A-Z]\w*)+(\$[A-Z]\w*)?$/, code);
  });

  it('have a sentence unless they have no body, and a prefix that ends in a blank', () => {
    for (const [code, { message, form, prefix }] of entries) {
      assert.ok(message !== '' || form === 'empty' || form === 'record' || form === undefined, code);
      assert.doesNotMatch(message.replace(/\{\w+\}/g, ''), /undefined|TODO/, code);
      if (prefix !== undefined) assert.match(prefix, /: $/, code);
    }
  });

  it('have remedies that are sentences', () => {
    const remedies = entries.filter(([, { remedy }]) => remedy !== undefined);
    assert.ok(remedies.length > 50);
    for (const [code, { remedy }] of remedies) assert.match(remedy!, /^[A-Z"`].*[.)]$/s, `${code}: ${remedy}`);
  });

  it('are described in the reference, each with its status', () => {
    const page = readFileSync(join(source, '..', 'docs', 'reference', 'errors.md'), 'utf8');
    for (const [code, { status }] of entries) assert.match(page, new RegExp(`\\| \`${code}\` \\| ${status} \\|`), code);
  });
});

describe('the uses of the catalogue', () => {
  it('name codes that there are, and every code is used or retired', () => {
    const known = new Set(Object.keys(errorCatalogue));
    for (const { file, code } of uses()) assert.ok(known.has(code), `${file}: ${code}`);
    const words = new Set(files.flatMap(({ text }) => text.match(/\b[A-Z][A-Z0-9_]{3,}\b/g) ?? []));
    // TOKEN_CALL_… and the like may be chosen by a condition: the word stands somewhere in the product.
    assert.deepEqual([...known].filter((code) => !words.has(code)).sort(), retired);
  });

  it('fill every placeholder of the sentence', () => {
    const missing = uses().flatMap(({ file, code, given }) =>
      placeholdersOf((errorCatalogue as Record<string, ErrorEntry>)[code]!.message)
        .filter((name) => given !== undefined && !given.includes(name))
        .map((name) => `${file}: ${code} lacks ${name}`),
    );
    assert.deepEqual(missing, []);
    assert.ok(uses().filter(({ given }) => given !== undefined).length > 200, 'the calls are still found');
  });
});

describe('a failure', () => {
  it('carries its code, its entry and the sentence with its parameters', () => {
    const one = failure('METHOD_NOT_ALLOWED', { method: 'PUT', allow: 'GET,HEAD' });
    assert.ok(one instanceof Failure && one instanceof Error);
    assert.equal(one.message, 'Method PUT is not allowed here; allowed: GET,HEAD.');
    assert.deepEqual(
      [one.name, one.code, one.entry.status, one.parameters],
      ['Failure', 'METHOD_NOT_ALLOWED', 405, { method: 'PUT', allow: 'GET,HEAD' }],
    );
  });

  it('takes parameters as they are: nothing in them is replaced again', () => {
    assert.equal(failure('BAD_REQUEST', { reason: "{value} $& $1 $' {reason}" }).message, "{value} $& $1 $' {reason}");
    assert.equal(failure('BODY_TOO_LARGE', { limitBytes: 0 }).message, 'The body is larger than 0 bytes.');
    assert.equal(failure('BAD_NUMBER').message, 'For input string: "{value}"');
  });

  it('does not take parameters from the prototype', () => {
    assert.equal(failure('NOT_FOUND', Object.create({ what: 'x' }) as { what: string }).message, '{what} not found');
  });
});
