import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { ResourceTypes } from '../model/resource.ts';
import { readDynamicResources, withDynamic } from './dynamic-resources.ts';
import { ConfigurationError } from './table.ts';

const folder = mkdtempSync(join(tmpdir(), 'heddle-dynamic-'));
after(() => rmSync(folder, { recursive: true, force: true }));
const types = new ResourceTypes([{ name: 'fpga', units: '', minimumAllocation: 0, maximumAllocation: 10 }]);
const write = (values: Record<string, string>) =>
  writeFileSync(
    join(folder, 'dynamic-resources.xml'),
    `<configuration>${Object.entries(values)
      .map(([name, value]) => `<property><name>yarn.resource.dynamic.${name}</name><value>${value}</value></property>`)
      .join('')}</configuration>`,
  );

test('sizes of nodes come from the file; what it does not name stays', () => {
  assert.equal(readDynamicResources(undefined, types).size, 0);
  assert.equal(readDynamicResources(folder, types).size, 0);
  write({ nodes: 'h1:1, h2:1', 'h1:1.memory': '2048', 'h1:1.vcores': '3', 'h2:1.fpga': '2', 'h2:1.overcommittimeout': '500' });
  const found = readDynamicResources(folder, types);
  assert.deepEqual(withDynamic([8192, 8, 1], found.get('h1:1')!), [2048, 3, 1]);
  assert.deepEqual(withDynamic([8192, 8, 1], found.get('h2:1')!), [8192, 8, 2]);
  assert.deepEqual([found.get('h1:1')!.overcommitTimeoutMs, found.get('h2:1')!.overcommitTimeoutMs], [-1, 500]);
});

test('an amount that is none is refused with file and key', () => {
  write({ nodes: 'h1:1', 'h1:1.memory': 'much' });
  assert.throws(
    () => readDynamicResources(folder, types),
    (error) => error instanceof ConfigurationError && error.key === 'yarn.resource.dynamic.h1:1.memory',
  );
});
