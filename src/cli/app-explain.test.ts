import assert from 'node:assert/strict';
import { it } from 'node:test';
import { requestRows } from './app-explain.ts';

it('requests that differ by name alone share a line', () => {
  const request = (askId: string, memoryMiB: number, count: number, more = {}) => ({
    askId,
    master: false,
    priority: 20,
    resource: { memoryMiB, vcores: 1 },
    count,
    waitingMs: 5000,
    reasons: [{ rule: 'USER_LIMIT' }],
    ...more,
  });
  const rows = requestRows([
    request('m', 512, 1, { master: true }),
    request('1', 1024, 2),
    request('2', 1024, 3),
    request('3', 2048, 1),
    request('4', 1024, 1),
  ] as unknown as Parameters<typeof requestRows>[0]);
  assert.deepEqual(
    rows.map(([name, , size, count]) => [name, size, count]),
    [
      ['master', '512 MiB, 1 vcore', 1],
      ['1 … 2', '1 GiB, 1 vcore', 5],
      ['3', '2 GiB, 1 vcore', 1],
      ['4', '1 GiB, 1 vcore', 1],
    ],
  );
});
