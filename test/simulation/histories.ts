// npm run histories: plays histories for a time, on every core, and says what it saw
// in one line. Exits with 1 where one failed; each failure comes with the fewest steps with which its seed fails, and the command that plays
// it again. With --account the next run goes on with the seed after the last one, and the line says all that the account has seen so far; a run
// that is interrupted (SIGINT, SIGTERM) plays its blocks to their end and accounts for them.
import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { isMainThread, parentPort, Worker } from 'node:worker_threads';
import { numberOption, readArguments } from '../../scripts/arguments.ts';
import { systemClock } from '../../src/lib/clock.ts';
import { systemRandom } from '../../src/lib/random.ts';
import { play } from './history.ts';
import { add, type Named, ofSeed, replayedBy } from './replaying.ts';

/** Seeds that a thread plays before it says what it saw and is given others. */
interface Block {
  readonly firstSeed: number;
  readonly histories: number;
}

/** What a thread saw of a block. */
interface Seen {
  readonly histories: number;
  readonly died: ReadonlyMap<string, number>;
  readonly failures: readonly { readonly history: Named; readonly message: string }[];
}

/** What is known of all histories so far. Every seed from the first one up to the next one was played. */
interface Account {
  readonly firstSeed: number;
  nextSeed: number;
  histories: number;
  readonly died: Map<string, number>;
  readonly failed: number[];
}

const historiesOfABlock = 50;
const mostFailures = 20;
/** A history leaves much garbage and keeps little. */
const youngGenerationMiB = 64;

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

/** One thread: plays what it is given. */
async function playBlock({ firstSeed, histories }: Block): Promise<Seen> {
  const died = new Map<string, number>();
  const failures: Seen['failures'][number][] = [];
  for (let seed = firstSeed; seed < firstSeed + histories; seed++) {
    const history = ofSeed(seed);
    try {
      add(died, (await play(history.kind, history.seed, history)).died);
    } catch (error) {
      failures.push((await shrunk(history)) ?? { history, message: `${String(error)} (and not when it was played again)` });
    }
  }
  return { histories, died, failures };
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

function read(path: string | undefined, firstSeed: number): Account {
  if (path === undefined || !existsSync(path)) return { firstSeed, nextSeed: firstSeed, histories: 0, died: new Map(), failed: [] };
  const kept = JSON.parse(readFileSync(path, 'utf8')) as Omit<Account, 'died'> & { readonly died: [string, number][] };
  return { ...kept, died: new Map(kept.died) };
}

function write(path: string | undefined, account: Account): void {
  if (path === undefined) return;
  writeFileSync(`${path}.new`, `${JSON.stringify({ ...account, died: [...account.died] })}\n`);
  renameSync(`${path}.new`, path);
}

const usage = `npm run histories -- [options]
  --minutes N      how long (default: 1)
  --threads N      on so many at once (default: one for each core)
  --first-seed N   the seeds from this one on (default: one by chance)
  --account FILE   go on with the seed after the last that FILE tells of, and keep there what was seen`;

async function main(): Promise<void> {
  const { values } = readArguments(usage, {
    options: {
      minutes: { type: 'string', default: '1' },
      threads: { type: 'string', default: String(availableParallelism()) },
      'first-seed': { type: 'string', default: String(systemRandom.int(2 ** 27)) },
      account: { type: 'string' },
    },
  });
  const account = read(values.account, numberOption(usage, 'first-seed', values['first-seed'], { least: 0 }));
  const beganMs = systemClock.now();
  const minutes = numberOption(usage, 'minutes', values.minutes, { least: 0, isWhole: false });
  const threads = numberOption(usage, 'threads', values.threads);
  let untilMs = beganMs + minutes * 60_000;
  const cpuBefore = process.cpuUsage();
  let histories = 0;
  let failures = 0;
  const hear = ({ histories: played, died, failures: found }: Seen): void => {
    histories += played;
    account.histories += played;
    add(account.died, died);
    for (const { history, message } of found) {
      account.failed.push(history.seed);
      if (++failures <= mostFailures) console.log(`${replayedBy(history)}\n${message}\n`);
    }
  };
  const interrupt = () => {
    untilMs = 0;
  };
  process.once('SIGINT', interrupt).once('SIGTERM', interrupt);
  const run = (): Promise<void> =>
    new Promise((done, failed) => {
      const worker = new Worker(new URL(import.meta.url), { resourceLimits: { maxYoungGenerationSizeMb: youngGenerationMiB } });
      const next = () => {
        if (systemClock.now() >= untilMs) return void worker.terminate();
        worker.postMessage({ firstSeed: account.nextSeed, histories: historiesOfABlock } satisfies Block);
        account.nextSeed += historiesOfABlock;
      };
      worker.on('message', (seen: Seen) => {
        hear(seen);
        next();
      });
      worker.on('error', failed);
      worker.on('exit', () => done());
      next();
    });
  await Promise.all(Array.from({ length: threads }, run));
  write(values.account, account);
  const { user, system } = process.cpuUsage(cpuBefore);
  const seconds = (systemClock.now() - beganMs) / 1000;
  const rates = `${histories} in ${seconds.toFixed(0)} s, ${(histories / seconds).toFixed(0)} a second, ${((histories * 1e6) / (user + system)).toFixed(0)} in a second of a core`;
  const { firstSeed, nextSeed, failed } = account;
  console.log(
    `${account.histories} histories, seeds ${firstSeed} to ${nextSeed - 1} (${rates}); failed: ${failed.length === 0 ? 'none' : failed.join(', ')}; died: ${deathsOf(account.died)}`,
  );
  process.exitCode = failures > 0 ? 1 : 0;
}

if (isMainThread) await main();
else parentPort!.on('message', (block: Block) => void playBlock(block).then((seen) => parentPort!.postMessage(seen)));
