// An administrator's health script (NodeHealthScriptRunner): a line that begins with ERROR makes the node unhealthy, and so does a script
// that takes too long; its exit code does not.
import { spawn } from 'node:child_process';
import { accessSync, constants, statSync } from 'node:fs';

/** One script. */
export interface HealthScript {
  readonly name: string;
  readonly path: string;
  readonly arguments: readonly string[];
  readonly intervalMs: number;
  readonly timeoutMs: number;
}

const longestOutput = 10_000;

/** Whether there is something to run: an executable file that is not empty. */
export function isRunnable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    const facts = statSync(path);
    return facts.isFile() && facts.size > 0;
  } catch {
    return false;
  }
}

/** Runs the script; what it complains of, empty when nothing. Everything it started ends with it. */
export function runHealthScript(script: HealthScript): Promise<string> {
  return new Promise((resolve) => {
    const child = spawn(script.path, script.arguments, { stdio: ['ignore', 'pipe', 'ignore'], detached: true });
    let output = '';
    let timedOut = false;
    const end = () => {
      try {
        if (child.pid !== undefined) process.kill(-child.pid, 'SIGKILL');
      } catch {
        // Nothing of it is left.
      }
    };
    const timer = setTimeout(() => {
      timedOut = true;
      end();
      child.stdout.destroy();
    }, script.timeoutMs);
    timer.unref();
    child.stdout.on('data', (chunk: Buffer) => {
      if (output.length < longestOutput) output += chunk.toString('utf8');
    });
    child.on('error', (error) => {
      clearTimeout(timer);
      resolve(`Node health script could not be run: ${error.message}`);
    });
    child.on('exit', () => {
      clearTimeout(timer);
      if (timedOut) return resolve('Node health script timed out');
      // What it left behind may hold its output open.
      end();
    });
    child.on('close', () => {
      if (!timedOut) resolve(output.split('\n').some((line) => line.startsWith('ERROR')) ? output : '');
    });
  });
}
