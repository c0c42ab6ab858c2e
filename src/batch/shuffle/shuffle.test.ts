// The copying side of a reduce against real nodes: what it does about outputs that are late, lost, broken or replaced. Time stands still
// unless the test moves it.
import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, type TestContext, test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import fc from 'fast-check';
import { ManualClock, systemClock } from '../../lib/clock.ts';
import { silentLogger } from '../../lib/log.ts';
import { shuffleErrorGroup, taskCounterGroup } from '../counters/names.ts';
import { describeError } from '../tasks/describe-error.ts';
import { ProgressPhase, TaskProgress } from '../tasks/progress.ts';
import { Reporter } from '../tasks/reporter.ts';
import type { MapEvent } from '../tasks/umbilical.ts';
import type { Umbilical } from '../tasks/umbilical-client.ts';
import { applicationId, jobId, map, reduce } from '../test-support/a-job.ts';
import { type Pair, recordsOf, sortedPairs, writeMapOutput } from '../test-support/map-outputs.ts';
import { Shuffle, ShuffleFailed, type ShuffleOptions } from './shuffle.ts';
import { ShuffleService } from './shuffle-service.ts';

fc.configureGlobal({ seed: Number(process.env['HEDDLE_TEST_SEED'] ?? 20_261_122) });

const scratch = mkdtempSync(join(tmpdir(), 'heddle-copying-'));
after(() => rmSync(scratch, { recursive: true }));
let serial = 0;
const token = Buffer.from('the secret of the job');

type Handler = (request: IncomingMessage, response: ServerResponse, serve: () => void) => void;

/** A node: a folder, and a server of its outputs. `handle` comes first and may `serve`. */
class Node {
  readonly folder: string;
  readonly asked: string[][] = [];
  handle: Handler = (_request, _response, serve) => serve();
  url = '';
  readonly #service: ShuffleService;

  constructor() {
    const root = join(scratch, `node${++serial}`);
    this.folder = join(root, 'disk');
    mkdirSync(this.folder, { recursive: true });
    this.#service = new ShuffleService({
      applicationFolders: () => [this.folder],
      stateFolder: join(root, 'state'),
      clock: systemClock,
      logger: silentLogger,
    });
    this.#service.start();
    this.#service.initializeApplication(applicationId, 'ann', token);
  }

  static async start(release: (end: () => void) => void): Promise<Node> {
    const node = new Node();
    const server = createServer((request, response) => {
      node.asked.push(new URL(request.url!, 'http://node').searchParams.get('map')!.split(','));
      node.handle(request, response, () => node.#service.handle(request, response, request.url!));
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    node.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    release(() => {
      server.closeAllConnections();
      server.close();
    });
    return node;
  }

  /** Leaves the output of a map for reduce 0, and tells of it. */
  output(attemptId: string, pairs: readonly Pair[]): MapEvent {
    writeMapOutput(this.folder, attemptId, [pairs]);
    return { attemptId, status: 'SUCCEEDED', shuffleUrl: this.url };
  }
}

const event = (attemptId: string, status: MapEvent['status']): MapEvent => ({ attemptId, status, shuffleUrl: '' });

/** A shuffle of reduce 0 whose master tells the events that the test gives it. */
function copying(maps: number, options: Partial<ShuffleOptions> = {}) {
  const clock = new ManualClock();
  const events: MapEvent[] = [];
  let wake = () => {};
  let known = true;
  const refuse = () => Promise.reject(new Error('a shuffle asks for events alone'));
  const umbilical: Umbilical = {
    task: refuse,
    status: refuse,
    commitPending: refuse,
    canCommit: refuse,
    done: refuse,
    failed: refuse,
    async events({ from }) {
      while (known && events.length <= from) await new Promise<void>((resolve) => (wake = resolve));
      return { known, events: events.slice(from) };
    },
  };
  const reporter = new Reporter({
    attemptId: reduce(0),
    kind: 'REDUCE',
    progress: new TaskProgress('reduce', [['copy', 1]]),
    umbilical,
    onUnwanted: () => {},
  });
  const abort = new AbortController();
  const phase = new ProgressPhase('copy', 1);
  const shuffle = new Shuffle({
    jobId,
    reduce: 0,
    maps,
    token,
    umbilical,
    reporter,
    phase,
    clock,
    folder: join(scratch, `reduce${++serial}`),
    localFolders: [],
    keyKind: 'text',
    valueKind: 'text',
    fetchers: 2,
    limits: { memoryBytes: 1 << 20, mergeBytes: 1 << 19, largestInMemory: 1 << 18 },
    factor: 2,
    readTimeoutMs: 5000,
    reportAfterMs: 3000,
    signal: abort.signal,
    ...options,
  });
  let ended = false;
  const result = shuffle.run().finally(() => {
    ended = true;
  });
  result.catch(() => {});
  /** Moves the time until the condition holds: waits of the shuffle end by it, answers of nodes come in between. */
  async function until(condition: () => boolean, stepMs = 50): Promise<void> {
    for (let i = 0; i < 20_000; i++) {
      if (condition()) return;
      // Answers come by real sockets: on a machine that has no time for them, turns alone would be over before.
      await (i < 2000 ? turn() : new Promise((resolve) => setTimeout(resolve, 1)));
      if (i % 10 === 9) clock.advance(stepMs);
    }
    assert.fail('it never came to that');
  }
  return {
    shuffle,
    clock,
    reporter,
    phase,
    abort,
    result,
    until,
    tell(...more: MapEvent[]) {
      events.push(...more);
      wake();
    },
    forget() {
      known = false;
      wake();
    },
    /** The records, when all is copied. */
    async records(): Promise<Pair[]> {
      await until(() => ended);
      return recordsOf(await result);
    },
    count: (name: string) => reporter.counters.get(taskCounterGroup, name),
    errors: (name: string) => reporter.counters.get(shuffleErrorGroup, name),
    /** Maps that the master will hear cannot be fetched. */
    complaints: () => reporter.report().fetchFailures ?? [],
  };
}

async function nodes(t: TestContext, count: number): Promise<Node[]> {
  return Promise.all(Array.from({ length: count }, () => Node.start((end) => t.after(end))));
}

describe('a shuffle', () => {
  test('copies the outputs of all maps from all nodes and merges them in the order of keys', async (t) => {
    const [one, two] = await nodes(t, 2);
    const { tell, records, count, phase } = copying(3);
    tell(
      one!.output(map(0), [
        ['b', '1'],
        ['d', '1'],
      ]),
      two!.output(map(1), [
        ['a', '2'],
        ['b', '2'],
      ]),
    );
    tell(one!.output(map(2), [['c', '3']]));
    const all = await records();
    assert.deepEqual(
      all.map(([key]) => key),
      ['a', 'b', 'b', 'c', 'd'],
    );
    assert.deepEqual(sortedPairs(all).length, 5);
    assert.equal(count('SHUFFLED_MAPS'), 3);
    assert.equal(count('MERGED_MAP_OUTPUTS'), 3);
    assert.equal(count('FAILED_SHUFFLE'), 0);
    assert.equal(phase.value, 1);
    assert.match(phase.status, /^copy task\(attempt_\S+ succeeded at [\d.]+ MB\/s\) Aggregated copy rate\(3 of 3 at [\d.]+ MB\/s\)$/);
  });

  test('of a job without maps has nothing to copy', async () => {
    assert.deepEqual(await copying(0).records(), []);
  });

  test('asks a node for at most twenty outputs at once', async (t) => {
    const [node] = await nodes(t, 1);
    const { tell, records } = copying(45, { fetchers: 1 });
    tell(...Array.from({ length: 45 }, (_, index) => node!.output(map(index), [[`key${index}`, '']])));
    assert.equal((await records()).length, 45);
    assert.deepEqual(
      node!.asked.map((maps) => maps.length),
      [20, 20, 5],
    );
  });

  test('writes to disk what does not fit into memory, and removes it when it has been read', async (t) => {
    const [node] = await nodes(t, 1);
    const folder = join(scratch, 'spilling');
    const { tell, records, result, until } = copying(6, { limits: { memoryBytes: 400, mergeBytes: 100, largestInMemory: 300 }, folder });
    const pairs = (index: number): Pair[] => Array.from({ length: 5 }, (_, i) => [`key ${i} ${index}`, 'x'.repeat(20)]);
    const outputs = [0, 1, 2, 3, 4, 5].map((index) => node!.output(map(index), pairs(index)));
    for (const output of outputs) tell(output);
    let cursor: Awaited<typeof result> | undefined;
    void result.then((given) => {
      cursor = given;
    });
    await until(() => cursor !== undefined);
    assert.ok(readdirSync(folder).length > 0);
    assert.deepEqual(await records(), sortedPairs([0, 1, 2, 3, 4, 5].flatMap(pairs)));
    cursor!.close();
    assert.deepEqual(readdirSync(folder), []);
  });

  test('gives every record of every map, for all outputs and all sizes of memory', async (t) => {
    const [one, two] = await nodes(t, 2);
    let run = 0; // a node serves each attempt's output once and for all
    const pair = fc.tuple(fc.string({ maxLength: 4, unit: 'binary-ascii' }), fc.string({ maxLength: 4, unit: 'binary-ascii' }));
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.array(pair, { maxLength: 6 }), { minLength: 1, maxLength: 12 }),
        fc.record({ memoryBytes: fc.nat({ max: 200 }), mergeBytes: fc.nat({ max: 200 }), largestInMemory: fc.nat({ max: 60 }) }),
        fc.integer({ min: 1, max: 4 }),
        fc.integer({ min: 2, max: 4 }),
        async (outputs, limits, fetchers, factor) => {
          run++;
          const { tell, records } = copying(outputs.length, { limits, fetchers, factor });
          for (const [index, pairs] of outputs.entries()) tell((index % 2 === 0 ? one! : two!).output(map(index, run), pairs));
          const all = await records();
          const text = (pairs: readonly Pair[]) => pairs.map((one) => JSON.stringify(one)).sort();
          assert.deepEqual(text(all), text(outputs.flat()));
          for (let i = 1; i < all.length; i++) assert.ok(Buffer.compare(Buffer.from(all[i - 1]![0]), Buffer.from(all[i]![0])) <= 0);
        },
      ),
      { numRuns: 25 },
    );
  });
});

describe('a node that fails', () => {
  test('is asked again after a pause that grows', async (t) => {
    const [node] = await nodes(t, 1);
    const { tell, records, clock, count, errors } = copying(1, { fetchers: 1 });
    const times: number[] = [];
    const begin = clock.now();
    node!.handle = (_request, response, serve) => {
      times.push(clock.now() - begin);
      if (times.length <= 4) response.destroy();
      else serve();
    };
    tell(node!.output(map(0), [['a', '1']]));
    assert.deepEqual(await records(), [['a', '1']]);
    const pauses = times.slice(1).map((time, i) => time - times[i]!);
    for (const [i, pause] of pauses.entries()) assert.ok(pause >= 250 * 1.3 ** (i + 1), `pause ${i}: ${pauses.join(', ')}`);
    assert.equal(count('FAILED_SHUFFLE'), 4);
    assert.equal(errors('CONNECTION'), 4);
  });

  test('does not hold up the others', async (t) => {
    const [broken, sound] = await nodes(t, 2);
    broken!.handle = (_request, response) => void response.destroy();
    const { tell, until, count, abort, result } = copying(3, { fetchers: 1 });
    tell(broken!.output(map(0), []), sound!.output(map(1), []), sound!.output(map(2), []));
    await until(() => count('SHUFFLED_MAPS') === 2);
    abort.abort(new Error('enough'));
    await assert.rejects(result, /enough/);
  });

  test('is complained of to the master when an output could not be fetched for three seconds', async (t) => {
    const [node] = await nodes(t, 1);
    node!.handle = (_request, response) => void response.writeHead(503).end();
    const { tell, until, complaints, clock, abort, result } = copying(1);
    const begin = clock.now();
    tell(node!.output(map(0), []));
    await until(() => complaints().length > 0);
    assert.ok(clock.now() - begin >= 3000);
    abort.abort(new Error('enough'));
    await assert.rejects(result);
  });

  test('fails the reduce after thirty failures for one output, in Hadoop’s words', async (t) => {
    const [node] = await nodes(t, 1);
    node!.handle = (_request, response) => void response.writeHead(503).end();
    const { tell, until, result, count } = copying(1, { fetchers: 1 });
    tell(node!.output(map(0), []));
    let failure: unknown;
    result.catch((error: unknown) => {
      failure = error;
    });
    await until(() => failure !== undefined, 5000);
    assert.ok(failure instanceof ShuffleFailed);
    assert.equal(failure.message, 'error in shuffle in fetcher#1');
    assert.equal((failure.cause as Error).message, `30 failures downloading ${map(0)}`);
    assert.equal(count('FAILED_SHUFFLE'), 30);
  });
});

describe('an output', () => {
  test('that arrives damaged is fetched again', async (t) => {
    const [node] = await nodes(t, 1);
    const { tell, records, count, errors } = copying(2, { fetchers: 1 });
    let answers = 0;
    node!.handle = (_request, response, serve) => {
      if (++answers > 1) return serve();
      const write = response.write.bind(response);
      // The first bytes of a header are its map's name; a change in the body is found by the checksum alone.
      response.write = ((chunk: Buffer, ...rest: []) => {
        const copy = Buffer.from(chunk);
        if (!copy.includes('attempt')) copy[0] = copy[0]! ^ 0x55;
        return write(copy, ...rest);
      }) as typeof response.write;
      serve();
    };
    tell(node!.output(map(0), [['a', '1']]), node!.output(map(1), [['b', '2']]));
    assert.deepEqual(await records(), [
      ['a', '1'],
      ['b', '2'],
    ]);
    assert.equal(errors('IO_ERROR'), 1);
    assert.ok(count('FAILED_SHUFFLE') >= 1);
    assert.equal(count('SHUFFLED_MAPS'), 2);
  });

  test('that its node has lost is complained of at once, and alone: the others of the node are copied', async (t) => {
    const [node] = await nodes(t, 1);
    const { tell, until, complaints, count, abort, result } = copying(4, { fetchers: 1 });
    const events = [0, 1, 2, 3].map((index) => node!.output(map(index), [[`k${index}`, '']]));
    rmSync(join(node!.folder, 'output', map(1)), { recursive: true });
    tell(...events);
    const told: string[] = [];
    await until(() => {
      told.push(...complaints());
      return count('SHUFFLED_MAPS') === 3 && told.length >= 3;
    });
    assert.deepEqual([...new Set(told)], [map(1)]);
    abort.abort(new Error('enough'));
    await assert.rejects(result);
  });

  test('that is obsolete is not asked for; the new attempt’s is', async (t) => {
    const [one, two] = await nodes(t, 2);
    one!.handle = (_request, response) => void response.destroy();
    const { tell, records, until, count } = copying(1);
    tell(one!.output(map(0), [['old', '']]));
    await until(() => count('FAILED_SHUFFLE') > 0);
    tell(event(map(0), 'OBSOLETE'));
    tell(two!.output(map(0, 1), [['new', '']]));
    assert.deepEqual(await records(), [['new', '']]);
    const asked = one!.asked.length;
    assert.ok(asked > 0);
    assert.deepEqual(two!.asked, [[map(0, 1)]]);
  });

  test('that was told of and called obsolete in one breath is never asked for', async (t) => {
    const [one] = await nodes(t, 1);
    const { tell, records } = copying(1);
    tell(event(map(0), 'OBSOLETE'), one!.output(map(0), [['old', '']]), one!.output(map(0, 1), [['new', '']]));
    assert.deepEqual(await records(), [['new', '']]);
    assert.deepEqual(one!.asked.flat(), [map(0, 1)]);
  });

  test('of a map that failed for good is not waited for, where the job tolerates that', async (t) => {
    const [node] = await nodes(t, 1);
    const { tell, records, count } = copying(3);
    tell(node!.output(map(0), [['a', '1']]), event(map(1, 3), 'TIPFAILED'), event(map(1, 3), 'TIPFAILED'));
    tell(node!.output(map(2), [['c', '3']]));
    assert.deepEqual(await records(), [
      ['a', '1'],
      ['c', '3'],
    ]);
    assert.equal(count('SHUFFLED_MAPS'), 2);
  });

  test('that arrives after its map has failed for good does not stand for another map’s', async (t) => {
    const [slow, other] = await nodes(t, 2);
    let release = () => {};
    slow!.handle = (_request, _response, serve) => {
      release = serve;
    };
    const { tell, records, until, count } = copying(2);
    tell(slow!.output(map(0), [['gone', '']]));
    await until(() => slow!.asked.length === 1);
    tell(event(map(0), 'OBSOLETE'), event(map(0), 'TIPFAILED'));
    for (let i = 0; i < 5; i++) await turn();
    release();
    await until(() => count('FAILED_SHUFFLE') === 0);
    for (let i = 0; i < 50; i++) await turn();
    tell(other!.output(map(1), [['kept', '']]));
    assert.deepEqual(await records(), [['kept', '']]);
  });
});

describe('what a map left on the reduce’s own node', () => {
  test('is read where it lies: the node is asked for the others alone, and everything is counted', async (t) => {
    const [own, other] = await nodes(t, 2);
    const { tell, records, count, shuffle } = copying(2, { localFolders: [join(scratch, 'empty disk'), own!.folder] });
    tell(own!.output(map(0), [['b', '1']]), other!.output(map(1), [['a', '2']]));
    assert.deepEqual(await records(), [
      ['a', '2'],
      ['b', '1'],
    ]);
    assert.deepEqual(own!.asked, []);
    assert.deepEqual(other!.asked, [[map(1)]]);
    assert.equal(count('SHUFFLED_MAPS'), 2);
    assert.equal(count('REDUCE_SHUFFLE_BYTES'), 24);
    assert.equal(shuffle.fileBytes.read, 12);
  });

  test('is asked for where it is damaged or gone, and complained of where the node has lost it', async (t) => {
    for (const damage of ['file.out', 'file.out.index']) {
      const [node] = await nodes(t, 1);
      const { tell, count, complaints, until, result, abort } = copying(1, { localFolders: [node!.folder] });
      const done = node!.output(map(0), [['a', '1']]);
      const path = join(node!.folder, 'output', map(0), damage);
      const bytes = readFileSync(path);
      bytes[3] = bytes[3]! ^ 1;
      writeFileSync(path, bytes);
      tell(done);
      await until(() => node!.asked.length > 2);
      assert.equal(count('SHUFFLED_MAPS'), 0, damage);
      rmSync(join(node!.folder, 'output'), { recursive: true });
      await until(() => complaints().includes(map(0)));
      abort.abort(new Error('enough'));
      await assert.rejects(result, /enough/);
    }
  });
});

describe('an end', () => {
  test('from outside interrupts what is under way', async (t) => {
    const [node] = await nodes(t, 1);
    node!.handle = () => {}; // never answers
    const { tell, until, abort, result } = copying(1);
    tell(node!.output(map(0), []));
    await until(() => node!.asked.length === 1);
    abort.abort(new Error('killed'));
    await assert.rejects(result, /killed/);
  });

  test('is a disk that takes no copies: no map is complained of', async (t) => {
    const [node] = await nodes(t, 1);
    const folder = join(scratch, 'gone');
    const { tell, result, complaints, until } = copying(1, { folder, limits: { memoryBytes: 10, mergeBytes: 10, largestInMemory: 10 } });
    rmSync(folder, { recursive: true });
    tell(node!.output(map(0), [['key', 'x'.repeat(100)]]));
    let failure: Error | undefined;
    result.catch((error: Error) => {
      failure = error;
    });
    await until(() => failure !== undefined);
    assert.match(
      describeError(failure),
      /error in shuffle in fetcher#\d\nCaused by: .*cannot be written to this node’s disk\nCaused by: .*ENOENT/,
    );
    assert.deepEqual(complaints(), []);
    assert.equal(node!.asked.length, 1);
  });

  test('that came before the beginning counts, too', async () => {
    const signal = AbortSignal.abort(new Error('killed before'));
    const { result } = copying(1, { signal });
    await assert.rejects(result, /killed before/);
  });

  test('is a master that does not know the attempt any more', async () => {
    const { forget, result } = copying(1);
    forget();
    await assert.rejects(result, { name: 'AttemptNotWanted', message: /is not wanted any more$/ });
  });
});
