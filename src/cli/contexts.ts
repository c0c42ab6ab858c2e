// Clusters by name: a file in the user's home that says how each is reached. No secret stands in it: tokens are named by their files.
import { readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { checked, fields, type JsonOf, mapOf, optional, text } from '../lib/json-shape.ts';
import { makeFolder } from '../lib/make-folder.ts';
import { systemErrorText } from '../lib/system-error.ts';
import { replaceDurably } from '../lib/whole-writes.ts';
import { CommandFailure } from './failure.ts';

const context = fields({
  /** Base URL of the resource manager; absent: what settings or data folder say. */
  cluster: optional(text()),
  history: optional(text()),
  timeline: optional(text()),
  user: optional(text()),
  tokenFile: optional(text()),
  conf: optional(text()),
  data: optional(text()),
});
/** How a cluster is reached; as the options of the same names. */
export type Context = JsonOf<typeof context>;

const contextsFile = fields({ current: optional(text()), contexts: mapOf(context) });
/** The file: contexts by name, and the one that counts where no other is named. */
export type Contexts = JsonOf<typeof contextsFile>;

/** Names that no address is mistaken for. */
export const isContextName = (name: string): boolean => /^[A-Za-z][A-Za-z0-9_-]{0,63}$/.test(name) && name !== 'localhost';

/** Where it lies: `HEDDLE_CONTEXTS`, or below the home. */
export const contextsPath = (): string => process.env['HEDDLE_CONTEXTS'] ?? join(homedir(), '.heddle', 'contexts.json');

/** What the file says; nothing where there is none. @throws CommandFailure for one that cannot be read */
export function readContexts(): Contexts {
  const path = contextsPath();
  let value: unknown;
  try {
    value = JSON.parse(readFileSync(path, 'utf8'));
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ENOTDIR') return { contexts: {} };
    throw new CommandFailure(`${path} cannot be read: ${message}`, 'Repair it, or move it away.');
  }
  const { value: found, fault } = checked(contextsFile, value);
  if (fault !== undefined) throw new CommandFailure(`${path}: ${fault}`, 'Repair it, or move it away.');
  return found;
}

/** Writes the file at once, for its owner alone. @throws CommandFailure where it cannot be written */
export function writeContexts(contexts: Contexts): void {
  const path = contextsPath();
  try {
    makeFolder(dirname(path), 0o700);
    replaceDurably(path, `${JSON.stringify(contexts, null, 2)}\n`, { mode: 0o600 });
  } catch (error) {
    throw new CommandFailure(systemErrorText(error, path), 'Set HEDDLE_CONTEXTS to a file that you may write.');
  }
}

/** What says which cluster is meant. */
interface Meant {
  readonly cluster?: string;
  readonly conf?: string;
  readonly data?: string;
}

/**
 * The context that a command is to use: the one that `--cluster` or `HEDDLE_CLUSTER` names, else the current one where nothing else says which
 * cluster is meant.
 */
export function contextOf(flags: Meant, environment: NodeJS.ProcessEnv = process.env): Context | undefined {
  const named = flags.cluster ?? environment['HEDDLE_CLUSTER'];
  if (named !== undefined) return isContextName(named) ? readContexts().contexts[named] : undefined;
  const says = flags.conf ?? flags.data ?? environment['HEDDLE_CONF'] ?? environment['HEDDLE_DATA'];
  if (says !== undefined) return undefined;
  const { current, contexts } = readContexts();
  return current === undefined ? undefined : contexts[current];
}
