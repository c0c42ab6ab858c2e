// No regular expression of the sources can be made to work more than the length of its text: none tries the same letters over and over, and
// none looks for its beginning all along a run that it then reads to the end.
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { it } from 'node:test';
import { parseSync } from 'oxc-parser';
import { analyse } from 'scslre';

const source = join(import.meta.dirname, '..', 'src');

function* expressionsOf(node: unknown): Generator<{ pattern: string; flags: string }> {
  if (typeof node !== 'object' || node === null) return;
  const { type, regex } = node as { type?: unknown; regex?: { pattern: string; flags: string } };
  if (type === 'Literal' && regex) yield regex;
  for (const inner of Object.values(node)) yield* expressionsOf(inner);
}

/** What is wrong with an expression, or undefined. */
function faultOf(expression: RegExp): string | undefined {
  const [report] = analyse(expression, { maxReports: 1 }).reports;
  if (!report) return undefined;
  return report.exponential ? 'exponential' : report.type === 'Move' ? 'begins anew all along a run' : 'reads a run in several ways';
}

it('finds the expressions that are known to be slow', () => {
  assert.equal(faultOf(/^(?:a+)+$/), 'exponential');
  assert.equal(faultOf(/\/+$/), 'begins anew all along a run');
  assert.equal(faultOf(/^\s*([^=]*?)\s*=/), 'reads a run in several ways');
  assert.equal(faultOf(/^[a-z]+$/), undefined);
});

it('finds none in the sources', () => {
  const faults: string[] = [];
  for (const entry of readdirSync(source, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile() || !entry.name.endsWith('.ts') || entry.name.endsWith('.test.ts')) continue;
    const path = join(entry.parentPath, entry.name);
    const { program, errors } = parseSync(path, readFileSync(path, 'utf8'));
    assert.deepEqual(errors, [], path);
    for (const { pattern, flags } of expressionsOf(program)) {
      const fault = faultOf(new RegExp(pattern, flags));
      if (fault !== undefined) faults.push(`${path}: /${pattern}/${flags} ${fault}`);
    }
  }
  assert.deepEqual(faults, []);
});
