// Asks of Hadoop's masters: examples, and random masters whose asks are served in random order, held against what they want.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type Random, seededRandom } from '../../lib/random.ts';
import { placesOf } from '../../model/place-counts.ts';
import { type Ask, type AskedRequest, AskTable, anywhere, askIdOf } from './master-asks.ts';

const keyOf = (priority: number) => {
  const key = { priority, allocationRequestId: -1, executionType: 'GUARANTEED' as const, resource: { memoryMiB: 512, vcores: 1 } };
  return { ...key, askId: askIdOf(key) };
};
const askOf = (place: string, count: number, more: Partial<Ask> = {}): Ask => ({
  ...keyOf(1),
  place,
  count,
  relaxLocality: true,
  labelExpression: undefined,
  ...more,
});
const at = (host: string) => ({ nodeId: `${host}:1`, host, rack: rackOf(host) });
const rackOf = (host: string): string => `/rack${host.at(-1) === '1' || host.at(-1) === '2' ? 1 : 2}`;

/** Takes asks for certain. */
function taken(table: AskTable, ...asks: Ask[]) {
  const plan = table.plan(asks);
  plan.keep();
  return plan;
}
const shown = ({ count, nodes, racks, placeCounts, relaxLocality }: AskedRequest) => ({
  count,
  nodes,
  racks,
  counts: Object.fromEntries(placeCounts),
  relaxLocality,
});

describe('asks of one key', () => {
  it('come to one request with its places; what is not said again stays', () => {
    const table = new AskTable();
    const places = [askOf('h1', 2), askOf('h2', 1), askOf('/rack1', 2), askOf(anywhere, 2)];
    const whole = { count: 2, nodes: ['h1', 'h2'], racks: ['/rack1'], counts: { h1: 2, h2: 1, '/rack1': 2 }, relaxLocality: true };
    assert.deepEqual(taken(table, ...places).requests.map(shown), [whole]);
    assert.deepEqual(taken(table, askOf(anywhere, 5)).requests.map(shown), [{ ...whole, count: 5 }]);
    assert.deepEqual(taken(table, askOf('h1', 0)).requests.map(shown), [
      { ...whole, count: 5, nodes: ['h2'], counts: { h2: 1, '/rack1': 2 } },
    ]);
    const nothing = taken(table, askOf(anywhere, 0));
    assert.deepEqual([nothing.requests, nothing.cancels], [[], [keyOf(1).askId]]);
    assert.equal(table.size, 2);
    taken(table, askOf('h2', 0), askOf('/rack1', 0));
    assert.equal(table.size, 0);
  });

  it('are nothing before they are kept', () => {
    const table = new AskTable();
    assert.equal(table.plan([askOf(anywhere, 5)]).requests.length, 1);
    assert.deepEqual([table.size, table.plan([askOf('h1', 1)]).requests], [0, []]);
  });

  it('are in vain without relaxed locality where no place is left', () => {
    const table = new AskTable();
    const strict = { relaxLocality: false };
    const { requests } = taken(table, askOf('h1', 1), askOf('/rack1', 1, strict), askOf(anywhere, 1, strict));
    assert.deepEqual(requests.map(shown), [{ count: 1, nodes: ['h1'], racks: [], counts: { h1: 1 }, relaxLocality: false }]);
    assert.deepEqual(taken(table, askOf('h1', 0)).cancels, [keyOf(1).askId]);
  });

  it('count what was given and not told of, by the places for which it counts', () => {
    const table = new AskTable();
    taken(table, askOf('h1', 1), askOf('/rack1', 3), askOf(anywhere, 3));
    table.given(keyOf(1).askId, 'c1', at('h1'));
    // The master does not know: it says what it wants in all, and one of it is on the way.
    assert.deepEqual(taken(table, askOf(anywhere, 4)).requests.map(shown), [
      { count: 3, nodes: [], racks: ['/rack1'], counts: { '/rack1': 2 }, relaxLocality: true },
    ]);
    table.told('c1');
    assert.deepEqual(taken(table, askOf(anywhere, 3)).requests[0]?.count, 3);
    table.told('c1');
    table.withdrawn(keyOf(1).askId);
    assert.equal(table.size, 0);
  });
});

/** A container that a master wants: at one of these hosts, there alone where locality is not relaxed. */
interface Wish {
  readonly hosts: readonly string[];
}

const hosts = ['h1', 'h2', 'h3', 'h4'];

/** A master with one key, as Hadoop's client library keeps its book: what it was told of it takes away. */
class RandomMaster {
  readonly #random: Random;
  readonly priority: number;
  readonly relaxLocality: boolean;
  /** All wishes without relaxed locality name the same hosts: whichever container comes answers one. */
  readonly #strictHosts: readonly string[];
  readonly wishes: Wish[] = [];
  /** Places about which something is to be said: also where the number is the one that was said last. */
  readonly #touched = new Set<string>();
  /** Containers that may come although nothing is wanted: more were on the way than it said that it wants. */
  surplus = 0;

  constructor(random: Random, priority: number) {
    this.#random = random;
    this.priority = priority;
    this.relaxLocality = random.int(2) === 0;
    this.#strictHosts = hosts.filter(() => random.int(2) === 0);
    if (this.#strictHosts.length === 0) this.#strictHosts = ['h1'];
  }

  wish(): void {
    const named = this.relaxLocality ? hosts.filter(() => this.#random.int(3) === 0) : this.#strictHosts;
    this.wishes.push({ hosts: named });
    this.#touch(this.wishes.at(-1));
  }

  withdraw(): void {
    this.#touch(this.wishes.pop());
  }

  #touch(wish: Wish | undefined): void {
    for (const place of wish ? [anywhere, ...placesOfWish(wish)] : []) this.#touched.add(place);
  }

  /** It hears of a container. */
  told(host: string): void {
    const exact = this.wishes.findIndex((wish) => wish.hosts.includes(host));
    const found = exact >= 0 ? exact : this.relaxLocality ? this.wishes.findIndex(() => true) : -1;
    if (found >= 0) this.#touch(this.wishes.splice(found, 1)[0]);
    else assert.ok(this.surplus-- > 0, `a container too many at ${host}`);
  }

  /** What it wants in all, wherever that was touched since the last call (AMRMClientImpl.addResourceRequestToAsk). */
  asks(): Ask[] {
    const wanted = new Map<string, number>([[anywhere, this.wishes.length]]);
    for (const wish of this.wishes) for (const place of placesOfWish(wish)) wanted.set(place, (wanted.get(place) ?? 0) + 1);
    const touched = [...this.#touched];
    this.#touched.clear();
    return touched.map((place) =>
      askOf(place, wanted.get(place) ?? 0, { ...keyOf(this.priority), relaxLocality: this.relaxLocality || hosts.includes(place) }),
    );
  }
}

const placesOfWish = (wish: Wish): readonly string[] => [...wish.hosts, ...new Set(wish.hosts.map(rackOf))];

/** A scheduler that gives at random what requests let it give, and counts places as the ledger does. */
class RandomScheduler {
  readonly #random: Random;
  readonly #open = new Map<string, { count: number; counts: Map<string, number>; request: AskedRequest }>();
  #given = 0;

  constructor(random: Random) {
    this.#random = random;
  }

  take({ requests, cancels }: ReturnType<AskTable['plan']>): void {
    for (const askId of cancels) this.#open.delete(askId);
    for (const request of requests) this.#open.set(request.askId, { request, count: request.count, counts: new Map(request.placeCounts) });
  }

  /** A container for one of the requests; undefined where none may be given. */
  give(): { readonly askId: string; readonly containerId: string; readonly host: string } | undefined {
    const open = [...this.#open.values()];
    const one = open[this.#random.int(Math.max(1, open.length))];
    if (!one) return undefined;
    const { nodes, racks, relaxLocality, askId } = one.request;
    const isLeft = (place: string) => (one.counts.get(place) ?? 0) > 0;
    const allowed = hosts.filter(
      (host) => relaxLocality || (nodes.includes(host) && isLeft(host)) || (racks.includes(rackOf(host)) && isLeft(rackOf(host))),
    );
    const host = allowed[this.#random.int(Math.max(1, allowed.length))];
    if (host === undefined) return undefined;
    for (const place of placesOf(at(host), (name) => one.counts.get(name))) one.counts.set(place, one.counts.get(place)! - 1);
    if (--one.count === 0) this.#open.delete(askId);
    return { askId, containerId: `c${this.#given++}`, host };
  }
}

function play(seed: number): void {
  const random = seededRandom(seed);
  const table = new AskTable();
  const scheduler = new RandomScheduler(random);
  const masters = [1, 2, 3].map((priority) => new RandomMaster(random, priority));
  let untold: { readonly containerId: string; readonly host: string; readonly master: RandomMaster }[] = [];
  const beat = (): void => {
    // The call is taken as it was said; then its answer tells everything that was given before.
    const plan = table.plan(masters.flatMap((master) => master.asks()));
    plan.keep();
    scheduler.take(plan);
    const told = untold;
    untold = [];
    for (const master of masters) {
      const onTheWay = told.filter((one) => one.master === master).length;
      master.surplus = Math.max(0, onTheWay - master.wishes.length);
    }
    for (const { containerId } of told) table.told(containerId);
    for (const { host, master } of told) master.told(host);
  };
  const give = (): boolean => {
    const given = scheduler.give();
    if (!given) return false;
    table.given(given.askId, given.containerId, at(given.host));
    const master = masters.find(({ priority }) => keyOf(priority).askId === given.askId)!;
    untold.push({ containerId: given.containerId, host: given.host, master });
    return true;
  };
  for (let step = 0; step < 60; step++) {
    const master = masters[random.int(masters.length)]!;
    const choice = random.int(10);
    if (choice < 3) master.wish();
    else if (choice === 3) master.withdraw();
    else if (choice < 7) give();
    else beat();
  }
  // Left alone, everything that is wanted comes, and nothing more.
  for (let idle = 0; idle < 40; idle++) {
    beat();
    for (let i = 0; i < 20; i++) give();
  }
  beat();
  assert.deepEqual(
    masters.map(({ wishes }) => wishes.length),
    [0, 0, 0],
    'something is still wanted',
  );
  assert.equal(give(), false, 'more is asked for than is wanted');
  assert.equal(table.size, 0, 'asks are kept that ask for nothing');
}

describe('random masters', () => {
  it('are given what they want, where they want it, and nothing more', () => {
    const first = Number(process.env['HEDDLE_TEST_SEED'] ?? 1);
    const runs = Number(process.env['HEDDLE_TEST_RUNS'] ?? 2000);
    for (let seed = first; seed < first + runs; seed++) {
      try {
        play(seed);
      } catch (error) {
        throw new Error(`HEDDLE_TEST_SEED=${seed}: ${(error as Error).message}`, { cause: error });
      }
    }
  });
});
