// Every parser against texts that are made to hold it up, and against random ones of its own language: work grows with the text, and what
// is no sense is refused by name, never by a fault of the program.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { PatternTooSlow } from '../../src/lib/bounded-pattern.ts';
import { Failure } from '../../src/model/errors.ts';
import { growthFault } from '../support/growth.ts';
import { parsers, type TriedParser } from './parsers.ts';

const seed = Number(process.env['HEDDLE_TEST_SEED'] ?? 20_261_122);
const runs = Number(process.env['HEDDLE_TEST_RUNS'] ?? 100);

/** A run of one piece, or of two in turns, between a front and a back, of about the length asked for. */
function formsOf({ pieces, fronts = [], backs = [] }: TriedParser): { name: string; textOf: (length: number) => string }[] {
  const pairs = pieces.slice(1).map((piece, index) => pieces[index]! + piece);
  const forms = pieces.flatMap((run) => ['', ...fronts].flatMap((front) => ['', ...backs].map((back) => [front, run, back] as const)));
  return [...forms, ...pairs.map((run) => [fronts[0] ?? '', run, ''] as const)].map(([front, run, back]) => ({
    name: JSON.stringify([front, run, back]),
    textOf: (length) => front + run.repeat(Math.max(1, Math.floor((length - front.length - back.length) / run.length))) + back,
  }));
}

const faultsOfPrograms: ReadonlySet<unknown> = new Set([Error, TypeError, RangeError, ReferenceError, PatternTooSlow]);

function isRefusal(error: unknown, { refusesPlainly = false }: TriedParser): boolean {
  if (error instanceof Failure) return error.entry.status < 500;
  return error instanceof Error && (!faultsOfPrograms.has(error.constructor) || (refusesPlainly && error.constructor === Error));
}

function tried(parser: TriedParser, text: string): unknown {
  try {
    parser.read(text);
  } catch (error) {
    if (!isRefusal(error, parser)) return error;
  }
  return undefined;
}

describe('the growth that is measured', () => {
  it('tells linear from quadratic work', () => {
    const linear = (text: string) => void text.split('a').join('b');
    const quadratic = (text: string) => void text.search(/a+$/);
    const textOf = (length: number) => `${'a'.repeat(length)}b`;
    assert.equal(growthFault(linear, textOf, 16 * 1024), undefined);
    assert.match(growthFault(quadratic, textOf, 16 * 1024) ?? '', /characters take/);
  });
});

describe('work grows with the text', () => {
  for (const parser of parsers) {
    it(`of ${parser.name}`, () => {
      for (const { name, textOf } of formsOf(parser)) {
        const fault = growthFault((text) => void tried(parser, text), textOf, parser.longest);
        assert.equal(fault, undefined, name);
      }
    });
  }
});

describe(`no text makes a parser fail by itself (HEDDLE_TEST_SEED=${seed})`, () => {
  for (const parser of parsers) {
    it(`not that of ${parser.name}`, () => {
      const piece = fc.oneof(
        { weight: 6, arbitrary: fc.constantFrom(...parser.pieces, ...(parser.fronts ?? []), ...(parser.backs ?? [])) },
        { weight: 1, arbitrary: fc.string({ unit: 'binary', maxLength: 3 }) },
        { weight: 1, arbitrary: fc.constantFrom('__proto__', 'constructor', '\u0000', '\ud800', '\u202e', 'ß', '\r\n') },
      );
      const text = fc.array(piece, { maxLength: 30 }).map((pieces) => pieces.join(''));
      fc.assert(
        fc.property(
          fc.constantFrom('', ...(parser.fronts ?? [])),
          text,
          fc.constantFrom('', ...(parser.backs ?? [])),
          (front, middle, back) => {
            const fault = tried(parser, front + middle + back);
            assert.equal(fault, undefined, String(fault instanceof Error ? fault.stack : fault));
          },
        ),
        { seed, numRuns: runs },
      );
    });
  }
});
