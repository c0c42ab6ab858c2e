import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Closer } from './closer.ts';

describe('closing', () => {
  it('goes from the last to the first, one after the other', async () => {
    const closer = new Closer();
    const closed: string[] = [];
    closer.add('first', () => void closed.push('first'));
    closer.add('second', async () => {
      await Promise.resolve();
      closed.push('second');
    });
    closer.add('third', () => void closed.push('third'));
    await closer.close();
    assert.deepEqual(closed, ['third', 'second', 'first']);
    await closer.close();
    assert.equal(closed.length, 3);
  });

  it('closes everything though something fails, and tells the first failure by name', async () => {
    const closer = new Closer();
    const closed: string[] = [];
    closer.add('database', () => void closed.push('database'));
    closer.add('server', () => {
      throw new Error('in use');
    });
    closer.add('client', () => Promise.reject(new Error('gone')));
    await assert.rejects(
      closer.close(),
      (error: Error) => error.message === 'closing client failed' && (error.cause as Error).message === 'gone',
    );
    assert.deepEqual(closed, ['database']);
  });

  it('closes what is added while it closes', async () => {
    const closer = new Closer();
    const closed: string[] = [];
    closer.add('outer', () => closer.add('inner', () => void closed.push('inner')));
    await closer.close();
    assert.deepEqual(closed, ['inner']);
  });
});
