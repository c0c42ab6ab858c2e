// What is looked at before the queues' configuration is changed: keys that would be stored and never read, as those of a queue that is misspelt.
import type { QueuesChange, QueueValues } from '../client/queue-configuration.ts';
import { CommandFailure } from './failure.ts';

/** What all keys of the capacity scheduler begin with. */
export const queueKeyPrefix = 'yarn.scheduler.capacity.';

const listed = (text = ''): string[] =>
  text
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '');

/** Full paths of the queues that the keys name, the root's too. */
export function queuePaths(keys: ReadonlyMap<string, string>): ReadonlySet<string> {
  const found = new Set<string>();
  const enter = (path: string): void => {
    if (found.has(path)) return;
    found.add(path);
    for (const child of listed(keys.get(`${queueKeyPrefix}${path}.queues`))) enter(`${path}.${child}`);
  };
  enter('root');
  return found;
}

/** Keys that say no more than which queues there are. */
export function keysOfPaths(paths: readonly string[]): ReadonlyMap<string, string> {
  const keys = new Map<string, string>();
  for (const path of paths) {
    const at = path.lastIndexOf('.');
    if (at < 0) continue;
    const key = `${queueKeyPrefix}${path.slice(0, at)}.queues`;
    keys.set(key, [...listed(keys.get(key)), path.slice(at + 1)].join(','));
  }
  return keys;
}

/** The keys as the change leaves them; those of queues that are removed count no more. */
function keysAfter(before: ReadonlyMap<string, string>, { add, update, remove, global }: QueuesChange) {
  const keys = new Map(before);
  const set = new Set<string>();
  const put = (key: string, value: string | undefined): void => {
    if (value === undefined) keys.delete(key);
    else {
      keys.set(key, value);
      set.add(key);
    }
  };
  const putAll = (values: QueueValues, path: string): void => {
    for (const [key, value] of Object.entries(values)) put(`${queueKeyPrefix}${path}.${key}`, value);
  };
  const siblings = (path: string): [key: string, names: string[], name: string] => {
    const at = path.lastIndexOf('.');
    const key = `${queueKeyPrefix}${path.slice(0, at)}.queues`;
    return [key, listed(keys.get(key)), path.slice(at + 1)];
  };
  for (const path of remove ?? []) {
    const [key, names, name] = siblings(path);
    keys.set(key, names.filter((other) => other !== name).join(','));
  }
  for (const [path, values] of add ?? []) {
    const [key, names, name] = siblings(path);
    keys.set(key, [...names, name].join(','));
    putAll(values, path);
  }
  for (const [path, values] of update ?? []) putAll(values, path);
  for (const [key, value] of Object.entries(global ?? {})) put(key, value);
  return { keys, set };
}

/**
 * YARN stores whatever key it is given; one that nobody reads is a slip.
 * @returns sentences about keys that Heddle reads and does not need
 * @throws CommandFailure for a key of a queue that is not there, for one that the scheduler does not have, and for a queue below one that is not there
 */
export async function checkChange(before: ReadonlyMap<string, string>, change: QueuesChange): Promise<readonly string[]> {
  const { warningsOfChange } = await import('../simulation/check-queues.ts');
  const { keys, set } = keysAfter(before, change);
  const foreign = Object.keys(change.global ?? {}).find((key) => !key.startsWith('yarn.'));
  if (foreign !== undefined) throw new CommandFailure(`${foreign} is no key of the scheduler`, undefined, 2);
  const there = queuePaths(keys);
  const unnamed = [...(change.add?.keys() ?? [])].find((path) => path.split('.').some((name) => name === '' || /^\s|\s$|,/.test(name)));
  if (unnamed !== undefined)
    throw new CommandFailure(
      `"${unnamed}" is no path of a queue`,
      'Names stand between points: none is empty, has a comma, or begins or ends with a blank.',
      2,
    );
  const astray = [...(change.add?.keys() ?? [])].find((path) => path.includes('.') && !there.has(path));
  if (astray !== undefined) {
    const parent = astray.slice(0, astray.lastIndexOf('.'));
    throw new CommandFailure(
      `${astray} cannot be added: there is no queue ${parent}`,
      '"heddle queue list" shows the queues there are; add the one above it first.',
    );
  }
  const told = warningsOfChange(keys, set);
  const useless = told.find((sentence) => sentence.includes(' has no effect: '));
  if (useless === undefined) return told;
  throw new CommandFailure(
    useless.replace(/\.$/, ''),
    useless.includes('there is no queue')
      ? '"heddle queue list" shows the queues there are, "heddle queue add" adds one.'
      : 'All settings of queues are in docs/reference/queue-options.md.',
  );
}

/** Java's words for a value that cannot be read name the value alone: which key it was given for. */
export function refusedValue(message: string, { add, update, global }: QueuesChange): CommandFailure | undefined {
  const value = /For input string: "(.*?)"|No enum constant [\w.]+\.([^.\s]*)$/.exec(message);
  if (!value) return undefined;
  const text = value[1] ?? value[2] ?? '';
  const given = [
    ...[...(add ?? []), ...(update ?? [])].flatMap(([path, values]) =>
      Object.entries(values).map(([key, said]) => [`${queueKeyPrefix}${path}.${key}`, said] as const),
    ),
    ...Object.entries(global ?? {}),
  ];
  const found = given.find(([, said]) => said?.trim().toUpperCase() === text.toUpperCase());
  return found && new CommandFailure(`${found[0]}: '${found[1]}' is not understood`, 'docs/reference/queue-options.md says what it takes.');
}

const quoted = (path: string | undefined): string | undefined => (path !== undefined && /[^\w./:@%+=-]/.test(path) ? `'${path}'` : path);

/** What to do about a refusal of the scheduler, where there is one thing to do. */
export function remedyOfRefusal(message: string): string | undefined {
  // Names may have blanks: they are taken up to what follows, and quoted where a shell would part them.
  const leaf = quoted(/convert the leaf queue: (.+) to parent/.exec(message)?.[1]);
  if (leaf !== undefined)
    return `A queue that takes applications has to be stopped first: "heddle queue set ${leaf} state=STOPPED"; "--with ${leaf}:state=RUNNING" opens it again in the same step.`;
  const open = /not yet in stopped state/.test(message) ? quoted(/(root\..+) cannot be deleted /.exec(message)?.[1]) : undefined;
  if (open !== undefined) return `Stop it first: "heddle queue set ${open} state=STOPPED".`;
  const known = quoted(/add existing queue (.+)/.exec(message)?.[1]);
  if (known !== undefined) return `"heddle queue set ${known} KEY=VALUE" changes it.`;
  if (/^Queue .+ not found/.test(message)) return '"heddle queue list" shows the queues there are.';
  if (/Illegal capacity sum/.test(message))
    return 'The shares of siblings make up 100 together: "--with QUEUE:capacity=N" changes or adds others in the same step.';
  return undefined;
}
