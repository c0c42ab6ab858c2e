// `heddle complete WORDS…`, which completion scripts call: what may stand at the end of a command line, as the cluster knows it. Says
// nothing where nothing is known in time: no cluster, no right to look.

import type { Command, Option } from 'commander';
import type { ClusterClient, QueueInfo } from '../client/cluster-client.ts';
import { HttpClient } from '../client/http.ts';
import { NodeLabels } from '../client/node-labels.ts';
import { hostOfNodeId } from '../model/ids.ts';
import { type Connection, connectSoon } from './connection.ts';
import { readContexts } from './contexts.ts';
import { wordsBehind } from './offered-words.ts';
import type { ClusterFlags } from './options.ts';
import { printText } from './output.ts';
import { queuesBelow, takesWork } from './queues-below.ts';

/** Longest time for all questions to the cluster. */
const longestMs = 1000;
const mostOffered = 200;
const liveStates = 'NEW,NEW_SAVING,SUBMITTED,ACCEPTED,RUNNING';

/** A word that may stand there, and what it is. */
type Offer = readonly [word: string, about?: string];
type Source = (connection: Connection) => Promise<readonly Offer[]>;

interface ListedApplication {
  readonly id: string;
  readonly name?: string;
  readonly state?: string;
}

async function applications({ http }: ClusterClient, query: Readonly<Record<string, string>> = {}): Promise<readonly ListedApplication[]> {
  const fields = 'id,name,state';
  const page = await http.json<{ applications: readonly ListedApplication[] }>('GET', '/api/v1/applications', {
    query: { limit: mostOffered, sort: '-startedTime', fields, ...query },
  });
  return page.applications;
}

const offered = ({ id, name, state }: ListedApplication): Offer => [id, `${state} ${name}`];
const asJob = (id: string) => id.replace('application', 'job');

async function jobs({ cluster, historyUrl, credentials }: Connection, signal: AbortSignal): Promise<readonly Offer[]> {
  const history = new HttpClient({ url: historyUrl, ...credentials, signal });
  const [live, ended] = await Promise.allSettled([
    applications(cluster, { applicationTypes: 'MAPREDUCE', states: liveStates }),
    history.json<{ jobs: readonly ListedApplication[] }>('GET', '/api/v1/jobs', { query: { sort: '-startTime', limit: mostOffered } }),
  ]);
  return [
    ...(live.status === 'fulfilled' ? live.value.map((app): Offer => offered({ ...app, id: asJob(app.id) })) : []),
    ...(ended.status === 'fulfilled' ? ended.value.jobs.map(offered) : []),
  ];
}

async function nodeIds(cluster: ClusterClient, states?: string): Promise<readonly Offer[]> {
  return (await cluster.nodes(states)).flatMap(({ id, state }): Offer[] => (id === undefined ? [] : [[id, state]]));
}

async function containers({ cluster }: Connection): Promise<readonly Offer[]> {
  const nodes = (await nodeIds(cluster, 'RUNNING')).slice(0, mostOffered);
  const lists = await Promise.allSettled(
    nodes.map(([id]) =>
      cluster.http.json<{ containers: readonly { id: string; state: string; applicationName: string }[] }>(
        'GET',
        `/api/v1/nodes/${encodeURIComponent(id)}/containers`,
      ),
    ),
  );
  return lists.flatMap((list) =>
    list.status === 'fulfilled'
      ? list.value.containers.map(({ id, state, applicationName }): Offer => [id, `${state} ${applicationName}`])
      : [],
  );
}

async function queues({ cluster }: Connection, isOffered: (queue: QueueInfo) => boolean = () => true): Promise<readonly Offer[]> {
  const all = queuesBelow((await cluster.scheduler()).queues);
  return all.filter(({ queue }) => isOffered(queue)).map(({ path, queue }) => [path, queue.state]);
}

/** What arguments and values of options are, by their names in the usage of commands. */
const sources = (signal: AbortSignal): Readonly<Record<string, Source>> => ({
  application: async ({ cluster }) => (await applications(cluster)).map(offered),
  liveApplication: async ({ cluster }) => (await applications(cluster, { states: liveStates })).map(offered),
  container: containers,
  job: (connection) => jobs(connection, signal),
  node: ({ cluster }) => nodeIds(cluster),
  host: async ({ cluster }) => (await nodeIds(cluster)).map(([id]) => [hostOfNodeId(id)]),
  queue: (connection) => queues(connection),
  workQueue: (connection) => queues(connection, takesWork),
  label: async ({ cluster }) => (await new NodeLabels(cluster.http).list()).flatMap(({ name }): Offer[] => (name === '' ? [] : [[name]])),
  schedule: async ({ cluster }) => (await cluster.schedules()).map(({ name, cron }) => [name, cron]),
  webhook: async ({ cluster }) => (await cluster.webhooks()).map(({ id, url }) => [id, url]),
});

/** Commands that end or change what they name: what is over is not offered. */
const liveOnly: ReadonlySet<string> = new Set(['kill', 'move', 'priority', 'lifetime', 'scale', 'signal', 'explain']);
/** Commands that put work into the queue that they name: those that hold other queues, or take nothing, are not offered. */
const workBringing: ReadonlySet<string> = new Set(['run', 'move', 'wordcount', 'streaming', 'sleep', 'module']);
/** Names that say the same. */
const sameAs: Readonly<Record<string, string>> = { id: 'job', attempt: 'job', queues: 'queue', ids: 'application' };
/** Options whose value is an id although they call it something else. */
const optionKinds: Readonly<Record<string, string>> = {
  '--cluster': 'context',
  '--application': 'application',
  '--container': 'container',
};

/** Words of which one, or `several` separated by commas, may stand behind an option. */
interface Choices {
  readonly words: readonly string[];
  readonly several: boolean;
}

/** Undefined where nobody knows the words without the cluster. */
function choicesOf(option: Option): Choices | undefined {
  const several = wordsBehind(option);
  if (several) return { words: several, several: true };
  return option.argChoices && { words: option.argChoices, several: false };
}

/** The last word of a command line. */
interface LastWord {
  readonly command: Command;
  /** What it is to be: `context`, or a name of `sources`; undefined where the cluster does not know it. */
  readonly kind: string | undefined;
  /** What may stand there whatever the cluster knows. */
  readonly choices?: Choices | undefined;
  /** The words whose options count. */
  readonly given: readonly string[];
}

/** Walks down the words to the command that the last is given to. */
function lastWord(program: Command, words: readonly string[]): LastWord {
  let command = program;
  let position = 0;
  let awaited: string | undefined;
  let choices: Choices | undefined;
  for (const word of words.slice(0, -1)) {
    if (awaited !== undefined) awaited = undefined;
    else if (word.startsWith('-')) {
      awaited = valueKind(command, word);
      const option = command.options.find(({ long, short }) => long === word || short === word);
      choices = option && choicesOf(option);
    } else {
      const next = position === 0 ? command.commands.find((one) => one.name() === word) : undefined;
      if (next === undefined) position++;
      else command = next;
    }
  }
  if (awaited !== undefined) return { command, kind: kindFor(command, known(awaited)), choices, given: words.slice(0, -2) };
  const given = words.slice(0, -1);
  if (command.commands.length > 0 || (words.at(-1) ?? '').startsWith('-')) return { command, kind: undefined, given };
  const argument = command.registeredArguments[position] ?? command.registeredArguments.findLast(({ variadic }) => variadic);
  return { command, kind: kindFor(command, argument && known(argument.name())), given };
}

/** The narrower kind that a command can do something with. */
function kindFor(command: Command, kind: string | undefined): string | undefined {
  if (kind === 'application' && liveOnly.has(command.name())) return 'liveApplication';
  return kind === 'queue' && workBringing.has(command.name()) ? 'workQueue' : kind;
}

/** What follows an option: '' for what nobody knows, undefined where nothing does. */
function valueKind(command: Command, word: string): string | undefined {
  if (word.includes('=')) return undefined;
  const option = command.options.find(({ long, short }) => long === word || short === word);
  if (option === undefined || option.isBoolean() || !(option.required || option.optional)) return undefined;
  return optionKinds[option.long ?? ''] ?? /<(\w+)/.exec(option.flags)?.[1] ?? '';
}

const kinds: ReadonlySet<string> = new Set([...Object.keys(sources(AbortSignal.abort())), 'context']);
const known = (name: string): string | undefined => [sameAs[name] ?? name].find((one) => kinds.has(one));

/** Whether a command, its subcommands aside, takes anything that the cluster knows. */
export const takesKnown = (command: Command): boolean =>
  command.registeredArguments.some((argument) => known(argument.name()) !== undefined);

const commandsOf = (program: Command): Command[] => [program, ...program.commands.flatMap((command) => [command, ...command.commands])];

/** Every option of every command, as often as commands have it. */
export const optionsOfAll = (program: Command): Option[] => commandsOf(program).flatMap(({ options }) => [...options]);

/** Options whose values the cluster, the file of contexts or `wordsBehind` knows, or that depend on the command. */
export function knownOptions(program: Command): string[] {
  const all = optionsOfAll(program);
  const differs = (long: string, choices: readonly string[]): boolean =>
    all.some((other) => other.long === long && String(other.argChoices) !== String(choices));
  const asked = commandsOf(program).flatMap((command) =>
    command.options.filter(
      (option) =>
        wordsBehind(option) ||
        (option.argChoices && differs(option.long ?? '', option.argChoices)) ||
        (option.long && known(valueKind(command, option.long) ?? '') !== undefined),
    ),
  );
  return [...new Set(asked.flatMap(({ long }) => long ?? []))];
}

/** The words that may follow those that stand before the last comma. */
function furtherChoices(choices: readonly string[], typed: string): readonly Offer[] {
  const chosen = typed.split(',').slice(0, -1);
  const before = chosen.map((one) => `${one},`).join('');
  return choices.filter((one) => !chosen.includes(one)).map((one) => [before + one]);
}

/** What may stand at the end of these words. Never fails: what cannot be known in time is left out. */
async function offersFor(program: Command, words: readonly string[]): Promise<readonly Offer[]> {
  const { command, kind, choices, given } = lastWord(program, words);
  if (choices) return choices.several ? furtherChoices(choices.words, words.at(-1) ?? '') : choices.words.map((one) => [one]);
  if (kind === undefined) return [];
  try {
    if (kind === 'context') return Object.entries(readContexts().contexts).map(([name, { cluster }]) => [name, cluster]);
    command.configureOutput({ outputError: () => undefined }).parseOptions([...given]);
    const signal = AbortSignal.timeout(longestMs);
    return (await sources(signal)[kind]?.(connectSoon(command.opts<ClusterFlags>(), signal))) ?? [];
  } catch {
    return [];
  }
}

/** Registers `heddle complete`. */
export function addComplete(program: Command): void {
  program
    .command('complete', { hidden: true })
    .argument('[words...]', 'the words behind heddle; what is to stand in place of the last is printed')
    .description('print what may stand at the end of a command line')
    .action(async (words: readonly string[]) => {
      const start = words.at(-1) ?? '';
      const seen = new Set<string>();
      const lines = (await offersFor(program, words)).flatMap(([word, about]) => {
        if (!word.startsWith(start) || seen.has(word) || /\s/.test(word)) return [];
        seen.add(word);
        return [`${word}${about ? `\t${about.replaceAll(/\s+/g, ' ').trim()}` : ''}\n`];
      });
      printText(lines.join(''));
    });
}
