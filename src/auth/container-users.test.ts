import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { it } from 'node:test';
import { ContainerUsers } from './container-users.ts';

it('containers are known by the unix user they run as, until they end', () => {
  const folder = mkdtempSync(join(tmpdir(), 'container-users-'));
  try {
    const [writer, reader] = [new ContainerUsers(folder), new ContainerUsers(folder)];
    assert.deepEqual(reader.usersOf(7), new Set());
    writer.hold('container_1_0001_01_000001', 'ann', 7);
    writer.hold('container_1_0001_01_000002', 'ann', 7);
    writer.hold('container_1_0002_01_000001', '../b/ö.x', 7);
    writer.hold('container_1_0003_01_000001', 'eve', 8);
    assert.deepEqual(reader.usersOf(7), new Set(['ann', '../b/ö.x']));
    assert.deepEqual(reader.usersOf(8), new Set(['eve']));
    writer.release('container_1_0001_01_000001', 'ann');
    assert.ok(reader.usersOf(7).has('ann'));
    writer.release('container_1_0001_01_000002', 'ann');
    writer.release('container_1_0001_01_000002', 'ann');
    assert.deepEqual(reader.usersOf(7), new Set(['../b/ö.x']));
    assert.equal(statSync(join(folder, 'secrets')).mode & 0o077, 0);
    writer.hold('container_1_0004_01_000001', 'x'.repeat(300), 9);
    assert.deepEqual(reader.usersOf(9), new Set());
  } finally {
    rmSync(folder, { recursive: true });
  }
});
