// `heddle run --diff`: how what a file asks for differs from what runs under its name, or from another file.
import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { type Difference, differences } from '../lib/differences.ts';
import { type CommandJob, commandMaster, type SubmittedRun, shellQuote } from '../wire/cluster/command-job.ts';
import { digestOf, stagingPath } from '../wire/cluster/staging.ts';
import { type Connection, connect, talk } from './connection.ts';
import { setExitCode } from './exit-code.ts';
import { CommandFailure } from './failure.ts';
import { type BroughtFile, readFiles } from './files.ts';
import type { ClusterFlags } from './options.ts';
import { formatDuration, formatMemory, printJson, printTable, printText } from './output.ts';
import { retriesText } from './retries.ts';
import { jobOf, type RunFlags, type RunOfFile, runName } from './run-job.ts';
import { readSecrets } from './run-secrets.ts';

/** What a run asks for, by what people call it. */
type Facts = ReadonlyMap<string, string>;

/** One side of a comparison. */
interface Side {
  readonly title: string;
  readonly facts: Facts;
}

const liveStates = 'NEW,NEW_SAVING,SUBMITTED,ACCEPTED,RUNNING';

/** What both sides have. */
function factsOf(job: Omit<CommandJob, 'files' | 'secrets'>, secrets: readonly string[], files: Facts, masterMemoryMiB: number): Facts {
  const { command, instances, memoryMiB, vcores, resources = {}, environment, retries, placement, opportunistic } = job;
  return new Map<string, string>([
    ['command', command.map(shellQuote).join(' ')],
    ['instances', String(instances)],
    ['memory', formatMemory(memoryMiB) ?? ''],
    ['vcores', String(vcores)],
    ['retries', retriesText(retries)],
    ['master memory', formatMemory(masterMemoryMiB) ?? ''],
    ...Object.entries(resources).map(([name, amount]): [string, string] => [`resource ${name}`, String(amount)]),
    ...Object.entries(environment).map(([name, value]): [string, string] => [`variable ${name}`, value]),
    ...secrets.map((name): [string, string] => [`secret ${name}`, 'given']),
    ...[...files].map(([name, value]): [string, string] => [`file ${name}`, value]),
    ...(placement ? [['tags', placement.tags.join(', ')] as const] : []),
    ...(placement?.constraint === undefined ? [] : [['constraint', placement.constraint] as const]),
    ...(opportunistic ? [['opportunistic', 'true'] as const] : []),
  ]);
}

const lifetimeText = (seconds: number): string => formatDuration(seconds * 1000) ?? '';

/** What a file asks for. */
async function sideOfFile({ path, command, flags }: RunOfFile): Promise<Side> {
  const { queue, priority, label, reservation, timeout, masterMemory = commandMaster.memoryMiBOf(flags.instances) } = flags;
  const facts = factsOf(jobOf(command, flags), [...readSecrets(flags.secret).keys()], await fileFacts(flags), masterMemory);
  return {
    title: path,
    facts: new Map([
      ...facts,
      ...(queue === undefined ? [] : [['queue', queue] as const]),
      ...(priority === undefined ? [] : [['priority', String(priority)] as const]),
      ...(label === undefined ? [] : [['label', label] as const]),
      ...(reservation === undefined ? [] : [['reservation', reservation] as const]),
      ...(timeout === undefined ? [] : [['timeout', lifetimeText(Math.ceil(timeout / 1000))] as const]),
    ]),
  };
}

const fileText = (type: string, digest: string): string => `${type === 'ARCHIVE' ? 'archive ' : ''}sha256:${digest.slice(0, 16)}`;

async function digestOfFile(path: string): Promise<string> {
  const hash = createHash('sha256');
  for await (const piece of createReadStream(path)) hash.update(piece as Buffer);
  return hash.digest('hex');
}

async function fileFacts(flags: RunFlags): Promise<Facts> {
  const fact = async ({ name, type, path, uri = '' }: BroughtFile): Promise<[string, string]> => [
    name,
    path === undefined ? uri : fileText(type, await digestOfFile(path)),
  ];
  return new Map(await Promise.all(readFiles(flags.file).map(fact)));
}

/** What an application runs. Queue and priority count only where the file says them: by themselves they come from the cluster. */
async function sideOfApplication(connection: Connection, run: SubmittedRun, file: Facts): Promise<Side> {
  const { id, name, state, queue, priority, label, reservationId, lifetimeSeconds, masterMemoryMiB } = run;
  const files: [string, string][] = [];
  for (const [fileName, { resource, type }] of Object.entries(run.run.files))
    files.push([fileName, resource.startsWith('staging:') ? fileText(type, await stagedDigest(connection, resource)) : resource]);
  const told = file.get('queue');
  const isSameQueue = told !== undefined && (queue === told || queue === `root.${told}` || queue.endsWith(`.${told}`));
  return {
    title: `${id} (${name}, ${state})`,
    facts: new Map([
      ...factsOf(run.run, run.run.secrets ?? [], new Map(files), masterMemoryMiB),
      ...(told === undefined ? [] : [['queue', isSameQueue ? told : queue] as const]),
      ...(file.has('priority') ? [['priority', String(priority)] as const] : []),
      ...(label === undefined ? [] : [['label', label] as const]),
      ...(reservationId === undefined ? [] : [['reservation', reservationId] as const]),
      ...(lifetimeSeconds === undefined ? [] : [['timeout', lifetimeText(lifetimeSeconds)] as const]),
    ]),
  };
}

/** The digest of a file that was left with the resource manager: `staging:/user/application/name`. */
async function stagedDigest({ cluster }: Connection, uri: string): Promise<string> {
  const answer = await talk(() => cluster.http.request('GET', `${stagingPath}${uri.slice('staging:'.length)}`));
  const digest = digestOf(answer.headers.get('repr-digest'));
  await answer.body?.cancel();
  return digest ?? 'unknown';
}

/** The newest run of the caller that lives under a name. @throws CommandFailure where there is none */
async function runningRun({ cluster, user }: Connection, name: string): Promise<SubmittedRun> {
  const query = { user, applicationTypes: commandMaster.type, states: liveStates, limit: 1000, fields: 'id,name', sort: '-startedTime' };
  type Page = { readonly applications: readonly { readonly id: string; readonly name: string }[] };
  const { applications } = await talk(() => cluster.http.json<Page>('GET', '/api/v1/applications', { query }));
  const found = applications.find((application) => application.name === name);
  if (found === undefined)
    throw new CommandFailure(`no run of ${user} called ${name} is there to compare with`, '"heddle app list" shows those there are.');
  return talk(() => cluster.http.json<SubmittedRun>('GET', `/api/v1/applications/${found.id}/run`));
}

/** Compares one file with what runs, or two files, and prints where they differ. @throws CommandFailure */
export async function diffRuns(runs: readonly RunOfFile[], flags: ClusterFlags): Promise<void> {
  // Until it is known: 1 says that they differ.
  setExitCode(2);
  const [first, second] = runs;
  if (first === undefined || runs.length > 2)
    throw new CommandFailure('--diff compares FILE.yaml with what runs, or OLD.yaml with NEW.yaml', 'Name one file or two.', 2);
  const after = await sideOfFile(second ?? first);
  let before: Side;
  if (second === undefined) {
    const connection = connect(flags);
    before = await sideOfApplication(connection, await runningRun(connection, runName(first.command, first.flags)), after.facts);
  } else before = await sideOfFile(first);
  const found = differences(before.facts, after.facts);
  setExitCode(found.length > 0 ? 1 : 0);
  if (flags.json) return printJson({ before: before.title, after: after.title, differences: found });
  if (found.length === 0) return printText(`${after.title} asks for what ${before.title} does.\n`);
  printText(`From ${before.title} to ${after.title}:\n`);
  printTable(['', 'WHAT', 'FROM', 'TO'], found.map(row));
}

const longestShown = 60;
const shown = (value: string | undefined): string | undefined =>
  value !== undefined && value.length > longestShown ? `${value.slice(0, longestShown - 1)}…` : value;
const row = ({ key, from, to }: Difference) => [from === undefined ? '+' : to === undefined ? '-' : '~', key, shown(from), shown(to)];
