// docs/reference/ is what the tables of the product say.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { it } from 'node:test';
import { referenceFolder, referencePages } from '../scripts/write-reference.ts';

it('the reference pages are up to date', async () => {
  for (const [name, text] of Object.entries(await referencePages())) {
    let written = '';
    try {
      written = readFileSync(join(import.meta.dirname, '..', referenceFolder, name), 'utf8');
    } catch {
      // Told below.
    }
    assert.ok(written === text, `${referenceFolder}/${name} is not what the tables say: run "npm run docs"`);
  }
});
