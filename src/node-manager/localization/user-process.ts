// A piece of bash that reads for a container, behind a command line that takes rights from it.
import { spawn } from 'node:child_process';
import { bash } from '../../lib/bash.ts';
import type { UserProcess } from './fetch-options.ts';

const longestProblem = 1000;

/** Runs it without environment; its output is read as it comes. The signal kills it. */
export function beginProcess(before: readonly string[], script: string, parameters: readonly string[], signal: AbortSignal): UserProcess {
  const [program = '', ...words] = [...before, ...bash, '-c', script, 'bash', ...parameters];
  const child = spawn(program, words, {
    cwd: '/',
    env: { PATH: '/usr/bin:/bin' },
    stdio: ['ignore', 'pipe', 'pipe'],
    signal,
    killSignal: 'SIGKILL',
  });
  let problem = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    if (problem.length < longestProblem) problem += text;
  });
  const ended = new Promise<{ code: number | null; problem: string }>((resolve) => {
    child.on('error', (error) => resolve({ code: null, problem: error.message }));
    child.on('close', (code) => resolve({ code, problem }));
  });
  return { output: child.stdout, ended };
}
