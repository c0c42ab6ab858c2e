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

it('so many nodes are told in the plural', () => {
  const groups = [
    { count: 3, sentence: 'has room' },
    { count: 1, sentence: 'takes no new containers' },
    { count: 2, sentence: 'takes no new containers' },
    { count: 2, sentence: 'too little free' },
  ];
  const rows = requestRows([{ master: true, resource: {}, nodes: { groups } }] as unknown as Parameters<typeof requestRows>[0]);
  assert.equal(rows[0]?.at(-1), '3 have room, 1 takes no new containers, 2 take no new containers, 2 too little free');
});
