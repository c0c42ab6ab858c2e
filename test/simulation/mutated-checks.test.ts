import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { mutatedChecks } from './mutated-checks.ts';
import { mutatedRoles } from './mutated-roles.ts';

test('the checks that the mutations take out stand in the product, each once', () => {
  for (const { name, file, text } of [...mutatedChecks, ...mutatedRoles]) {
    const source = readFileSync(new URL(`../../src/resource-manager/${file}`, import.meta.url), 'utf8');
    assert.equal(source.split(text).length, 2, `${name}: '${text}' in ${file}; take over what it is now`);
  }
});
