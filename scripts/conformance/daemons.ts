import { type ChildProcess, spawn } from 'node:child_process';
import { mkdirSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

const root = join(import.meta.dirname, '../..');

/** Starts `heddle ARGUMENTS` in the background; its output goes to `HOME/NAME.log`, its process id to `HOME/NAME.pid`. */
export function startHeddle(home: string, name: string, args: readonly string[]): ChildProcess {
  mkdirSync(home, { recursive: true });
  const log = openSync(join(home, `${name}.log`), 'a');
  const child = spawn(process.execPath, [join(root, 'src/main.ts'), ...args], {
    stdio: ['ignore', log, log],
    detached: true,
    env: { ...process.env, NODE_NO_WARNINGS: '1' },
  });
  if (child.pid) writeFileSync(join(home, `${name}.pid`), String(child.pid));
  child.unref();
  return child;
}

const isAlive = (pid: number) => {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
};

/** Stops what `startHeddle` started under this name: in order, or with -9. */
export async function stopHeddle(home: string, name: string, signal: 'SIGTERM' | 'SIGKILL', waitMs = 10_000): Promise<void> {
  const file = join(home, `${name}.pid`);
  const pid = Number(readFileSync(file, 'utf8'));
  rmSync(file);
  if (!isAlive(pid)) return;
  process.kill(pid, signal);
  const end = Date.now() + waitMs;
  while (isAlive(pid) && Date.now() < end) await sleep(20);
  if (isAlive(pid)) process.kill(pid, 'SIGKILL');
}

/** Polls until `url` answers and its text satisfies `accepts`; false when `waitMs` has passed or `givesUp`. */
export async function answers(
  url: string,
  waitMs: number,
  accepts: (text: string) => boolean = () => true,
  givesUp: () => boolean = () => false,
): Promise<boolean> {
  const end = Date.now() + waitMs;
  for (;;) {
    try {
      const response = await fetch(url, { signal: AbortSignal.timeout(5000) });
      if (accepts(await response.text())) return true;
    } catch {
      // Not up yet.
    }
    if (Date.now() > end || givesUp()) return false;
    await sleep(25);
  }
}
