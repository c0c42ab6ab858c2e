import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { CallQueue } from './call-queue.ts';

describe('a full port', () => {
  it('lets clients go on in their order as calls end, no more at a time than there is room for', () => {
    const queue = new CallQueue({ limit: 2, backsOff: false });
    const began: string[] = [];
    const client = (name: string, calls: number) => () => {
      began.push(name);
      for (let call = 0; call < calls && !queue.holdsBack(); call++) queue.begin();
      if (calls > 1) queue.wait(client(name, calls - 1));
    };
    queue.begin();
    assert.deepEqual([queue.holdsBack(), queue.refuses()], [false, false]);
    queue.begin();
    assert.deepEqual([queue.holdsBack(), queue.refuses()], [true, false]);
    queue.wait(client('greedy', 2));
    queue.wait(client('small', 1));
    queue.end();
    assert.deepEqual(began, ['greedy']);
    queue.end();
    assert.deepEqual(began, ['greedy', 'small']);
    queue.end();
    assert.deepEqual(began, ['greedy', 'small', 'greedy']);
  });

  it('goes on to the next client where one has nothing more to say', () => {
    const queue = new CallQueue({ limit: 1, backsOff: false });
    const began: string[] = [];
    queue.begin();
    queue.wait(() => void began.push('nothing'));
    queue.wait(() => {
      began.push('a call');
      queue.begin();
    });
    queue.wait(() => void began.push('too early'));
    queue.end();
    assert.deepEqual(began, ['nothing', 'a call']);
  });

  it('holds nobody back where it refuses', () => {
    const queue = new CallQueue({ limit: 1, backsOff: true });
    queue.begin();
    assert.deepEqual([queue.holdsBack(), queue.refuses()], [false, true]);
    queue.end();
    assert.equal(queue.refuses(), false);
  });
});
