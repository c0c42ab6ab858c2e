import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { growthFault } from '../../../test/support/growth.ts';
import { seededRandom } from '../../lib/random.ts';
import type { InternalPurpose } from '../entries.ts';
import { RequestTable, shownName } from './requests.ts';

const request = (requestId: string, priority: number, allocationRequestId = -1, purpose?: InternalPurpose) => ({
  requestId,
  priority,
  allocationRequestId,
  purpose,
  partition: priority % 2,
  nodes: ['a', 'b'],
  racks: ['/r'],
});
const growth: InternalPurpose = { kind: 'growth', containerId: 'c1' };
const promotion: InternalPurpose = { kind: 'promotion', containerId: 'c1' };

describe('the requests of an attempt', () => {
  it('are served by priority, then by allocation request id, then as they came', () => {
    const table = new RequestTable<ReturnType<typeof request>>();
    for (const [id, priority, allocation] of [
      ['late', 5, -1],
      ['first', 1, 7],
      ['second', 1, 7],
      ['before', 1, 3],
      ['master', 0, -1],
    ] as const)
      table.put(request(id, priority, allocation));
    assert.deepEqual(
      table.inOrder().map(({ requestId }) => requestId),
      ['master', 'before', 'first', 'second', 'late'],
    );
  });

  it('keep the resource manager’s own apart from a master’s, whatever their ids', () => {
    const table = new RequestTable<ReturnType<typeof request>>();
    const own = request('a', 1);
    const grows = request('a', 1, -1, growth);
    const promotes = request('a', 1, -1, promotion);
    for (const each of [own, grows, promotes]) table.put(each);
    assert.equal(table.get('a'), own);
    assert.equal(table.get(growth), grows);
    assert.equal(table.get(promotion), promotes);
    // A master's id may read like the name of an internal request.
    assert.equal(table.get(shownName(grows)), undefined);
    table.remove(grows);
    assert.equal(table.get(growth), undefined);
    assert.deepEqual([table.get('a'), table.get(promotion), table.size], [own, promotes, 2]);
  });

  it('stay when another request of the same name is removed', () => {
    const table = new RequestTable<ReturnType<typeof request>>();
    const kept = request('a', 1);
    table.put(kept);
    table.remove(request('a', 1));
    table.remove(request('a', 1, -1, growth));
    assert.deepEqual(table.inOrder(), [kept]);
  });

  it('are in order after whatever was put and removed', () => {
    const random = seededRandom(5);
    const table = new RequestTable<ReturnType<typeof request>>();
    const there: ReturnType<typeof request>[] = [];
    for (let i = 0; i < 400; i++) {
      if (there.length > 0 && random.int(3) === 0) table.remove(there.splice(random.int(there.length), 1)[0]!);
      else {
        const next = request(`r${i}`, random.int(4), random.int(3));
        there.push(next);
        table.put(next);
      }
      const expected = there.toSorted((a, b) => a.priority - b.priority || a.allocationRequestId - b.allocationRequestId);
      assert.deepEqual(table.inOrder(), expected);
    }
  });

  it('are in order after many changes that nobody looked at', () => {
    const random = seededRandom(6);
    const table = new RequestTable<ReturnType<typeof request>>();
    const there: ReturnType<typeof request>[] = [];
    for (let round = 0; round < 40; round++) {
      for (let i = random.int(30); i > 0; i--) {
        const which = random.int(4);
        if (there.length > 0 && which === 0) table.remove(there.splice(random.int(there.length), 1)[0]!);
        else if (there.length > 0 && which === 1) {
          // The same one comes again.
          const [again] = there.splice(random.int(there.length), 1) as [ReturnType<typeof request>];
          table.remove(again);
          table.put(again);
          there.push(again);
        } else {
          const next = request(`r${round}.${i}`, random.int(4), random.int(3));
          there.push(next);
          table.put(next);
        }
        assert.equal(table.size, there.length);
        for (const partition of [0, 1, 2])
          assert.equal(
            table.hasIn(partition),
            there.some((one) => one.partition === partition),
          );
      }
      const expected = there.toSorted((a, b) => a.priority - b.priority || a.allocationRequestId - b.allocationRequestId);
      assert.deepEqual(table.inOrder(), expected);
    }
  });

  it('of one master, however many, cost others no time: each is moved for no other', () => {
    const comeAndGo = ({ length }: string) => {
      const table = new RequestTable<ReturnType<typeof request>>();
      for (let i = 0; i < length; i++) table.put(request(`r${i}`, i % 1000));
      assert.equal(table.inOrder().length, length);
      for (const each of [...table.inOrder()]) table.remove(each);
      assert.deepEqual([table.size, table.inOrder()], [0, []]);
    };
    assert.equal(
      growthFault(comeAndGo, (length) => ' '.repeat(length), 100_000),
      undefined,
    );
  });

  it('are called by their id, or by their purpose', () => {
    assert.equal(shownName(request('7', 1)), '7');
    assert.equal(shownName(request('7', 1, -1, promotion)), 'promotion of c1');
  });
});
