// Secrets that a container was handed: each in a file that only its user reads, which the variable NAME_FILE names. An environment would show them to
// every child, to `env` in a log and, of a process that dumps core, to the disk.
import { readFileSync, rmSync } from 'node:fs';

/** The variable that names the file of a secret. */
export const fileVariableOf = (name: string): string => `${name}_FILE`;

/** The secret of this name: from its file, or from its own variable where a node still hands it so; undefined where there is none. @throws the file system's errors */
export function handedSecret(name: string, environment: NodeJS.ProcessEnv = process.env): string | undefined {
  const path = environment[fileVariableOf(name)];
  return path ? readFileSync(path, 'utf8') : environment[name] || undefined;
}

/** Reads a secret that nobody after this shall find: its file and its variables are gone. @throws the file system's errors */
export function takeSecret(name: string, environment: NodeJS.ProcessEnv = process.env): string | undefined {
  const secret = handedSecret(name, environment);
  const path = environment[fileVariableOf(name)];
  if (path) rmSync(path, { force: true });
  delete environment[name];
  delete environment[fileVariableOf(name)];
  return secret;
}
