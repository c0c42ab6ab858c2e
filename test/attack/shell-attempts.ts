// Attempts to get a shell, by a program that any user of the machine may run.
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { runAs, type UnixUser } from './harness.ts';

/** The program: attempts as JSON on its input, their ends on its output. */
export const shellProgram = join(import.meta.dirname, 'shell-program.js');

/** Who wants a shell where. */
export interface ShellAttempt {
  readonly url: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** As Hadoop's client does; absent: as Heddle's. */
  readonly speaksHadoop?: boolean;
  readonly command: string;
}

/** What came of it: the status of the answer (101: a socket was opened), with what it was closed, and what the shell said. */
export interface AttemptEnd {
  readonly status: number;
  readonly code?: number;
  readonly reason: string;
  readonly output: string;
}

/** Makes attempts as a user of the machine, each as both clients do. */
export async function tryShells(as: UnixUser | undefined, attempts: readonly ShellAttempt[]): Promise<AttemptEnd[]> {
  const both = attempts.flatMap((attempt) => [false, true].map((speaksHadoop) => ({ ...attempt, speaksHadoop })));
  const { code, stdout, stderr } = await runAs(as, [process.execPath, shellProgram], JSON.stringify(both), 120_000);
  assert.equal(code, 0, stderr);
  return JSON.parse(stdout) as AttemptEnd[];
}
