import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { CallTurns } from './call-turns.ts';

/** An event loop whose time and turns the test gives. */
class Loop {
  nowMs = 0;
  readonly #later: (() => void)[] = [];
  readonly now = (): number => this.nowMs;
  readonly later = (run: () => void): void => void this.#later.push(run);

  /** The next turn; whether there was one. */
  turn(): boolean {
    const runs = this.#later.splice(0);
    for (const run of runs) run();
    return runs.length > 0;
  }
}

describe('calls of a port', () => {
  it('go on until they took their part of the turn, and again in the next one', () => {
    const loop = new Loop();
    const turns = new CallTurns(loop);
    assert.equal(turns.isOver(), false);
    loop.nowMs += 2;
    assert.equal(turns.isOver(), false);
    loop.nowMs += 2;
    assert.equal(turns.isOver(), true);
    loop.turn();
    assert.equal(turns.isOver(), false, 'nobody waited');
  });

  it('that wait have turns in their order, as many in each as there is time for, before any that come later', () => {
    const loop = new Loop();
    const turns = new CallTurns(loop);
    const done: string[] = [];
    const call = (name: string, ms: number) => () => {
      done.push(name);
      loop.nowMs += ms;
    };
    assert.equal(turns.isOver(), false);
    loop.nowMs += 10;
    assert.equal(turns.isOver(), true);
    turns.wait(call('long', 20));
    turns.wait(call('short', 1));
    turns.wait(call('last', 1));
    loop.turn();
    assert.deepEqual(done, ['long']);
    assert.equal(turns.isOver(), true, 'others were there before');
    loop.turn();
    assert.deepEqual(done, ['long', 'short', 'last']);
    assert.equal(turns.isOver(), false, 'there is time left');
    loop.turn();
    assert.equal(loop.turn(), false, 'an idle port costs no turns');
  });
});
