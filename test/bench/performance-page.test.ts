import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type BenchReport, performancePage, timesBetter } from '../../bench/performance-page.ts';

const report: BenchReport = {
  date: '2026-11-23T01:00:00.000Z',
  node: 'v26.10.0',
  cores: 2,
  model: 'A processor ',
  load: [0.5, 2.25],
  method: 'by hand',
  results: {
    rest: [
      { name: 'info', value: 12_345.6, unit: 'requests/s', spread: [12_000, 13_000], floor: 40_000, peer: 2000 },
      { name: 'info, p99', value: 1.5, unit: 'ms', peer: 3 },
    ],
    growth: [{ name: '/metrics, with 20,000: times as much', value: 1.0123, unit: '' }],
  },
};

test('the page about performance has a row for each number, and columns for what was measured', () => {
  const lines = performancePage(report).split('\n');
  assert.ok(lines.includes('| what | Heddle | from – to | bare server | Hadoop | times better | unit |'));
  assert.ok(lines.includes('| info | 12,346 | 12,000 – 13,000 | 40,000 | 2,000 | 6.17 | requests/s |'));
  assert.ok(lines.includes('| info, p99 | 1.5 |  |  | 3 | 2 | ms |'));
  assert.ok(lines.includes('| what | Heddle | unit |'));
  assert.ok(lines.includes('| /metrics, with 20,000: times as much | 1.01 |  |'));
  assert.ok(lines.some((line) => line.includes('2 processors (A processor)') && line.includes('2026-11-23')));
});

test('numbers of other runs stand where the first has none, and say when they were measured', () => {
  const info = { name: 'info', value: 1, unit: 'requests/s' };
  const earlier: BenchReport = {
    ...report,
    date: '2026-11-22T01:00:00.000Z',
    results: { rest: [info], rpc: [{ ...info, name: 'allocate' }] },
  };
  const page = performancePage(report, earlier, { ...earlier, results: { rpc: [{ ...info, name: 'heartbeat' }] } });
  assert.match(
    page,
    /## Hadoop RPC\n\nNode\.js v26\.10\.0; 2026-11-22; load of the machine 0\.5 before, 2\.25 after\.\n\n\| what \|.*\n.*\n\| allocate \| 1 \|/,
  );
  assert.equal(page.match(/^## /gm)?.length, 3);
  assert.match(page, /\| info \| 12,346 \|/);
  assert.doesNotMatch(page, /heartbeat/);
});

test('better is more of what is served, and less of what is waited for', () => {
  assert.equal(timesBetter({ name: '', unit: 'requests/s', value: 10, peer: 5 }), 2);
  assert.equal(timesBetter({ name: '', unit: 'ms', value: 10, peer: 5 }), 0.5);
});
