import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type Random, seededRandom } from '../../lib/random.ts';
import { type Application, publicState } from '../applications/application.ts';
import { applicationStates } from '../applications/application-states.ts';
import { anApplication, applicationIdOf, aSubmission } from '../test-support/builders.ts';
import { ApplicationIndex, type ApplicationKeys } from './application-index.ts';
import { comparePlaces } from './application-order.ts';

const users = ['ann', 'bob', 'eve'];
const types = ['YARN', 'Spark', 'SPARK'];
const tags = ['x', 'y', 'Z'];
const names = ['job', 'other'];
const queues = ['root.a', 'root.a.b', 'root.c', 'default'];

/** An index beside all that is in it. */
class RandomIndex {
  readonly random: Random;
  readonly all = new Map<string, Application>();
  readonly index = new ApplicationIndex((id) => this.all.get(id));
  #sequence = 0;

  constructor(seed: number) {
    this.random = seededRandom(seed);
  }

  pick<T>(of: readonly T[]): T {
    return of[this.random.int(of.length)]!;
  }

  some<T>(of: readonly T[]): T[] {
    return of.filter(() => this.random.int(3) === 0);
  }

  step(): void {
    const application = this.pick([...this.all.values()]);
    if (!application || this.random.int(3) === 0) return this.#add();
    if (this.random.int(5) === 0) {
      this.index.remove(application);
      this.all.delete(application.id);
      return;
    }
    if (this.random.int(2) === 0) application.state = this.pick(applicationStates);
    if (this.random.int(3) === 0) application.queue = this.pick(queues);
    if (this.random.int(3) === 0) application.finishedMs = this.random.int(4);
    this.index.update(application);
  }

  #add(): void {
    const id = applicationIdOf(++this.#sequence);
    const application = anApplication({
      id,
      user: this.pick(users),
      queue: this.pick(queues),
      state: this.pick(applicationStates),
      startedMs: this.random.int(20),
      submission: aSubmission({ applicationId: id, type: this.pick(types), tags: this.some(tags), name: this.pick(names) }),
    });
    this.all.set(id, application);
    this.index.add(application);
  }

  keys(): ApplicationKeys {
    const { random } = this;
    const asked = () => random.int(3) === 0;
    return {
      ...(asked() ? { states: new Set(this.some(['ACCEPTED', 'RUNNING', 'FINISHED', 'KILLED'])) } : {}),
      ...(asked() ? { users: new Set([this.pick(users)]) } : {}),
      ...(asked() ? { types: new Set([this.pick(types).toLowerCase()]) } : {}),
      ...(asked() ? { tags: new Set(this.some(tags).map((tag) => tag.toLowerCase())) } : {}),
      ...(asked() ? { name: this.pick(names) } : {}),
      ...(asked() ? { queues: new Set(this.some(queues)) } : {}),
      ...(asked() ? { startedFromMs: random.int(20) } : {}),
      ...(asked() ? { startedToMs: random.int(20) } : {}),
      ...(asked() ? { finishedFromMs: random.int(4) } : {}),
    };
  }

  /** As the scheduler of a plan has them: in another queue than they show. */
  idsIn(queue: string): string[] {
    return [...this.all.values()].filter((one) => one.queue === queue || one.queue.startsWith(`${queue}.`)).map(({ id }) => id);
  }

  /** What has the keys, by a look at all. */
  scan(keys: ApplicationKeys): Application[] {
    return [...this.all.values()]
      .filter((one) => this.has(one, keys))
      .sort((a, b) => comparePlaces([a.startedMs, a.id], [b.startedMs, b.id]));
  }

  has(one: Application, keys: ApplicationKeys): boolean {
    const { submission } = one;
    return (
      (!keys.states || keys.states.has(publicState(one))) &&
      (!keys.users || keys.users.has(one.user)) &&
      (!keys.types || keys.types.has(submission.type.toLowerCase())) &&
      (!keys.tags || submission.tags.some((tag) => keys.tags!.has(tag.toLowerCase()))) &&
      (keys.name === undefined || keys.name === submission.name) &&
      (!keys.queues || [...keys.queues].some((queue) => this.idsIn(queue).includes(one.id))) &&
      one.startedMs >= (keys.startedFromMs ?? 0) &&
      one.startedMs <= (keys.startedToMs ?? 100) &&
      one.finishedMs >= (keys.finishedFromMs ?? 0)
    );
  }
}

describe('the index of applications', () => {
  it('finds what a look at all of them finds, in their order, whatever is asked', () => {
    for (let seed = 1; seed <= 40; seed++) {
      const world = new RandomIndex(seed);
      for (let step = 0; step < 120; step++) {
        world.step();
        const keys = world.keys();
        const wanted = world.pick([1, 5, Number.POSITIVE_INFINITY]);
        const [found, latest] = [
          world.index.select(keys, wanted, (queue) => world.idsIn(queue)),
          world.index.latest({ ...keys, queues: undefined }, wanted),
        ].map((applications) => [...applications]);
        const where = `seed ${seed}, step ${step}`;
        assert.deepEqual(
          found!.filter((one) => world.has(one, keys)),
          world.scan(keys),
          where,
        );
        const anyQueue = { ...keys, queues: undefined };
        assert.deepEqual(
          latest!.filter((one) => world.has(one, anyQueue)),
          world.scan(anyQueue).reverse(),
          where,
        );
        assert.deepEqual(
          [...world.index.ended()].map(({ id }) => id).sort(),
          world
            .scan({ finishedFromMs: 1 })
            .map(({ id }) => id)
            .sort(),
          where,
        );
      }
      const counted = [...world.index.counts()].map(({ state, type, count }) => `${state} ${type} ${count}`);
      const counts = Map.groupBy(world.all.values(), (one) => `${publicState(one)} ${one.submission.type}`);
      assert.deepEqual(counted.sort(), [...counts].map(([kind, { length }]) => `${kind} ${length}`).sort(), `seed ${seed}`);
    }
  });

  it('looks at what it gives, not at all there are', () => {
    const world = new RandomIndex(7);
    for (let i = 0; i < 3000; i++) world.step();
    const rare = [...world.all.values()][100]!;
    rare.state = 'RUNNING';
    for (const one of world.all.values()) if (one !== rare) one.state = 'ACCEPTED';
    for (const one of world.all.values()) world.index.update(one);
    assert.deepEqual([...world.index.select({ states: new Set(['RUNNING']) })], [rare]);
    assert.deepEqual([...world.index.select({ states: new Set(['RUNNING']), users: new Set([rare.user]) })], [rare]);
    assert.deepEqual([...world.index.select({ states: new Set(['KILLED']) })], []);
    // Most are wanted, few of them: in order until the caller stops.
    assert.equal(world.index.narrowest({ states: new Set(['ACCEPTED']) }, 10), undefined);
  });

  it('goes on where it stood while applications come and go', () => {
    const world = new RandomIndex(3);
    while (world.all.size < 900) world.step();
    const before = [...world.index.select({})];
    const gone = new Set(before.filter((_, place) => place % 3 === 0));
    const given: Application[] = [];
    for (const one of world.index.select({})) {
      given.push(one);
      if (given.length !== 300) continue;
      for (const each of gone) world.index.remove(each);
    }
    assert.equal(new Set(given).size, given.length);
    for (const one of before) if (!gone.has(one)) assert.ok(given.includes(one), one.id);
  });
});
