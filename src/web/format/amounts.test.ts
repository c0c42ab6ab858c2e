import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { bytes, cores, count, counted, memory, memoryHours, orDash, percent, shareOf, vcores } from './amounts.ts';

describe('amounts', () => {
  it('have units', () => {
    assert.equal(memory(512), '512 MiB');
    assert.equal(memory(1536), '1.5 GiB');
    assert.equal(memory(3 * 1024 * 1024), '3 TiB');
    assert.equal(bytes(0), '0 B');
    assert.equal(bytes(3300), '3.22 KiB');
    assert.deepEqual([cores(0.254), cores(1), cores(2)], ['0.254 cores', '1 core', '2 cores']);
    assert.equal(vcores(1), '1 vcore');
    assert.equal(vcores(2000), '2,000 vcores');
    assert.equal(memoryHours(3600 * 2048), '2 GiB·h');
  });

  it('are grouped, and counted in words', () => {
    assert.equal(count(1_234_567), '1,234,567');
    assert.equal(counted(1, 'node'), '1 node');
    assert.equal(counted(0, 'node'), '0 nodes');
    assert.equal(counted(2, 'entry', 'entries'), '2 entries');
  });

  it('are a dash in lists where there is nothing', () => {
    assert.equal(orDash(memory)(0), '–');
    assert.equal(orDash(memory)(2048), '2 GiB');
  });

  it('of shares never say nothing for something, nor all for nearly all', () => {
    assert.equal(percent(0), '0 %');
    assert.equal(percent(0.0001), '< 1 %');
    assert.equal(percent(0.5), '50 %');
    assert.equal(percent(0.9999), '> 99 %');
    assert.equal(percent(1), '100 %');
    assert.equal(shareOf(3, 0), 0);
  });
});
