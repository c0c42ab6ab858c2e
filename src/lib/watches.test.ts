import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { ManualClock } from './clock.ts';
import { type Watch, Watches } from './watches.ts';

/** Numbers by name; the list has the even ones. */
const shown = (...names: string[]) => ({ names: new Set(names), mayShow: (number: number) => number % 2 === 0 });

function stand(most?: number) {
  const clock = new ManualClock(0);
  const controller = new AbortController();
  const watches = new Watches<number>(most);
  let wakes = 0;
  const next = async (watch: Watch<number>) => {
    await watch.next({ waitMs: 1000, clock, signal: controller.signal });
    wakes++;
  };
  return { clock, controller, watches, next, wakes: () => wakes };
}
const turn = () => new Promise<void>((resolve) => setImmediate(resolve));

describe('a watched list', () => {
  it('wakes by what it has, whatever becomes of it, and by what belongs into it', async () => {
    for (const [name, number] of [
      ['a', 1],
      ['b', 2],
    ] as const) {
      const { watches, next, wakes } = stand();
      await watches.watch(async (watch) => {
        watch.look();
        watch.sees(shown('a'));
        const waiting = next(watch);
        watches.tell('c', 3);
        await turn();
        assert.equal(wakes(), 0);
        watches.tell(name, number);
        await waiting;
      });
    }
  });

  it('misses nothing that happens while it is made', async () => {
    const { watches, next, wakes } = stand();
    await watches.watch(async (watch) => {
      watch.look();
      // The list may have been made with the value before.
      watches.tell('a', 1);
      watch.sees(shown('a'));
      await next(watch);
      watch.look();
      watches.tell('c', 3);
      watch.sees(shown('a'));
      const waiting = next(watch);
      await turn();
      assert.equal(wakes(), 1);
      watches.tell('b', 2);
      await waiting;
    });
  });

  it('lets go who leaves, and at the time', async () => {
    const { watches, next, clock, controller } = stand();
    await watches.watch(async (watch) => {
      watch.look();
      watch.sees(shown());
      const waiting = next(watch);
      clock.advance(1000);
      await waiting;
      const other = next(watch);
      controller.abort();
      await other;
    });
  });

  it('is watched by so many, and by others when they have gone', async () => {
    const { watches } = stand(1);
    let leave = () => {};
    const first = watches.watch(() => new Promise<void>((resolve) => (leave = resolve)));
    assert.equal(
      watches.watch(async () => 'second'),
      undefined,
    );
    leave();
    await first;
    assert.equal(await watches.watch(async () => 'third'), 'third');
    await assert.rejects(watches.watch(() => Promise.reject(new Error('no')))!);
    assert.equal(await watches.watch(async () => 'fourth'), 'fourth');
  });
});
