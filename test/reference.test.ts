// docs/reference/ and the generated modules of the client for Python are what the tables of the product say.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { it } from 'node:test';
import { pythonFolder, pythonModules } from '../scripts/write-python-client.ts';
import { referenceFolder, referencePages } from '../scripts/write-reference.ts';

function isFresh(folder: string, files: Readonly<Record<string, string>>): void {
  for (const [name, text] of Object.entries(files)) {
    let written = '';
    try {
      written = readFileSync(join(import.meta.dirname, '..', folder, name), 'utf8');
    } catch {
      // Told below.
    }
    assert.ok(written === text, `${folder}/${name} is not what the tables say: run "npm run docs"`);
  }
}

it('the reference pages are up to date', async () => isFresh(referenceFolder, await referencePages()));

it('the client for Python has the operations and types that the resource manager describes', async () =>
  isFresh(pythonFolder, await pythonModules()));
