// npm run histories -- --minutes N [--threads N] [--first-seed N]: plays histories for a time, on every core, and says what it saw. Exits
// with 1 where one failed; each failure comes with the fewest steps with which its seed fails, and the command that plays it again.
import { availableParallelism } from 'node:os';
import { parseArgs } from 'node:util';
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads';
import { systemClock } from '../../src/lib/clock.ts';
import { systemRandom } from '../../src/lib/random.ts';
import { play } from './history.ts';
import { add, type Named, ofSeed, replayedBy } from './replaying.ts';

/** What a thread has played since it last said so. */
interface Batch {
  readonly histories: number;
  readonly died: ReadonlyMap<string, number>;
  readonly failures: readonly { readonly history: Named; readonly message: string }[];
}

interface Assignment {
  readonly firstSeed: number;
  readonly every: number;
  readonly untilMs: number;
}

const batchMs = 1000;
const mostFailures = 20;

async function messageOf(history: Named): Promise<string | undefined> {
  try {
    await play(history.kind, history.seed, history);
    return undefined;
  } catch (error) {
    return error instanceof Error ? (error.stack ?? error.message) : String(error);
  }
}

/** The same seed with the fewest steps with which it fails. */
async function shrunk(history: Named): Promise<{ history: Named; message: string } | undefined> {
  for (let steps = 0; steps <= history.steps; steps++) {
    const message = await messageOf({ ...history, steps });
    if (message !== undefined) return { history: { ...history, steps }, message };
  }
  return undefined;
}

/** One thread: every so many seeds from the first on, until the time is over. */
async function playOn({ firstSeed, every, untilMs }: Assignment): Promise<void> {
  for (let seed = firstSeed; systemClock.now() < untilMs; ) {
    const died = new Map<string, number>();
    const failures: Batch['failures'][number][] = [];
    let histories = 0;
    for (const endMs = systemClock.now() + batchMs; systemClock.now() < endMs; seed += every, histories++) {
      const history = ofSeed(seed);
      try {
        add(died, (await play(history.kind, history.seed, history)).died);
      } catch (error) {
        failures.push((await shrunk(history)) ?? { history, message: `${String(error)} (and not when it was played again)` });
      }
    }
    parentPort!.postMessage({ histories, died, failures } satisfies Batch);
  }
}

/** `manager before persist live` 3, … as `manager 3 (persist live 3), …`, the most frequent first. */
function deathsOf(died: ReadonlyMap<string, number>): string {
  const roles = new Map<string, Map<string, number>>();
  for (const [point, count] of died) {
    const [role = '', , ...effect] = point.split(' ');
    const own = roles.get(role) ?? new Map<string, number>();
    roles.set(role, own);
    add(own, new Map([[effect.join(' '), count]]));
  }
  return [...roles]
    .map(([role, effects]) => {
      const sum = [...effects.values()].reduce((total, count) => total + count, 0);
      const each = [...effects].sort((a, b) => b[1] - a[1]).map(([effect, count]) => `${effect} ${count}`);
      return `${role} ${sum} (${each.join(', ')})`;
    })
    .join('; ');
}

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      minutes: { type: 'string', default: '1' },
      threads: { type: 'string', default: String(availableParallelism()) },
      'first-seed': { type: 'string', default: String(systemRandom.int(2 ** 27)) },
    },
  });
  const threads = Number(values.threads);
  const firstSeed = Number(values['first-seed']);
  const beganMs = systemClock.now();
  const untilMs = beganMs + Number(values.minutes) * 60_000;
  const died = new Map<string, number>();
  const failures: Batch['failures'][number][] = [];
  let histories = 0;
  const workers = Array.from(
    { length: threads },
    (_, i) =>
      new Worker(new URL(import.meta.url), { workerData: { firstSeed: firstSeed + i, every: threads, untilMs } satisfies Assignment }),
  );
  await Promise.all(
    workers.map(
      (worker) =>
        new Promise<void>((done, failed) => {
          worker.on('message', (batch: Batch) => {
            histories += batch.histories;
            add(died, batch.died);
            for (const { history, message } of batch.failures) {
              failures.push({ history, message });
              if (failures.length <= mostFailures) console.log(`${replayedBy(history)}\n${message}\n`);
            }
          });
          worker.on('error', failed);
          worker.on('exit', () => done());
        }),
    ),
  );
  const perSecond = histories / ((systemClock.now() - beganMs) / 1000);
  const seeds = failures.map(({ history }) => history.seed);
  console.log(
    `${histories} histories from seed ${firstSeed} on, ${perSecond.toFixed(0)} a second; died: ${deathsOf(died)}; failed: ${seeds.length === 0 ? 'none' : seeds.join(', ')}`,
  );
  process.exitCode = failures.length > 0 ? 1 : 0;
}

if (isMainThread) await main();
else await playOn(workerData as Assignment);
