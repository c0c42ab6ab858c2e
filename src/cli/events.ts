// `heddle events [--follow]`: what happens in the cluster, a line for each event.
import type { Command } from 'commander';
import type { EventInfo, EventSlice } from '../client/cluster-client.ts';
import { connect, talk, talkPatiently } from './connection.ts';
import { kindsAbout } from './offered-words.ts';
import { type ClusterFlags, withClusterOptions } from './options.ts';
import { formatTime, jsonLine, printNote, printText } from './output.ts';

interface EventFlags extends ClusterFlags {
  readonly kind?: string;
  readonly owner?: string;
  readonly queue?: string;
  readonly node?: string;
  readonly from?: string;
  readonly follow?: boolean;
}

const pollMs = 25_000;
const longestValue = 120;

/** Registers `heddle events`. */
export function addEvents(program: Command): void {
  withClusterOptions(program.command('events').argument('[application...]', 'only these applications'))
    .description('print what happened in the cluster in the last hour')
    .option(
      '--kind <kinds>',
      'only these, separated by commas: application, attempt, container, node, or one such as application.finished',
      kindsAbout('application', 'attempt', 'container', 'node'),
    )
    .option('--owner <users>', 'only those of applications of these users')
    .option('--queue <queues>', 'only those of applications in these queues and below')
    .option('--node <nodes>', 'only what became of these nodes, by id or host, and of containers there')
    .option('--from <id>', 'only those after the event with this id, or "now"')
    .option('-f, --follow', 'go on with what happens')
    .action(events);
}

/** Registers `heddle app events` below `heddle app`. */
export function addApplicationEvents(app: Command): void {
  withClusterOptions(app.command('events').argument('<application...>', 'their ids'))
    .description('print what happened to applications in the last hour')
    .option(
      '--kind <kinds>',
      'only these, separated by commas: application, attempt, container, or one such as container.finished',
      kindsAbout('application', 'attempt', 'container'),
    )
    .option('--from <id>', 'only those after the event with this id, or "now"')
    .option('-f, --follow', 'go on with what happens')
    .action(events);
}

async function events(applications: readonly string[], flags: EventFlags): Promise<void> {
  const { cluster } = connect(flags);
  const filters = { application: applications.join(','), kind: flags.kind, user: flags.owner, queue: flags.queue, node: flags.node };
  const chosen = Object.fromEntries(Object.entries(filters).filter(([, value]) => value));
  const slice = (from: string, wait: number) => () => cluster.events({ ...chosen, from, wait });
  let found = await talk(slice(flags.from ?? 'oldest', 0));
  // Applications may be forgotten before their events are, so they are asked for only where there are no events.
  if (found.events.length === 0) for (const id of applications) await talk(() => cluster.application(id));
  if (found.events.length === 0 && !flags.follow)
    printNote(`No events${applications.length > 0 || Object.keys(chosen).length > 0 ? ' of what was asked for' : ''} in the last hour.\n`);
  for (;;) {
    print(found, flags.json ?? false);
    if (found.missed && flags.from !== undefined) printNote(`heddle: events before these are forgotten\n`);
    if (found.events.length === 0 && !flags.follow) return;
    found = await talkPatiently(slice(found.next, flags.follow ? pollMs : 0));
  }
}

function print({ events: found }: EventSlice, asJson: boolean): void {
  for (const event of found) {
    // One a line, so that programs can read them as they come.
    printText(asJson ? jsonLine(event) : `${lineOf(event)}\n`);
  }
}

/** Members that stand first in a line, or not at all. */
const leading = new Set(['id', 'kind', 'time', 'applicationId', 'attemptId', 'containerId', 'nodeId', 'user', 'queue']);

function lineOf(event: EventInfo): string {
  const about = event.containerId ?? event.attemptId ?? event.applicationId ?? event.nodeId ?? '';
  const rest = Object.entries(event)
    .filter(([name, value]) => !leading.has(name) && value !== '' && value !== null && typeof value !== 'object')
    .map(([name, value]) => `${name}=${briefly(String(value))}`);
  const where = event.containerId !== undefined && event.nodeId !== undefined ? [`nodeId=${event.nodeId}`] : [];
  const whose = event.kind === 'application.created' ? [`user=${event.user}`, `queue=${event.queue}`] : [];
  const line = [formatTime(event.time), event.kind.padEnd(20), about, ...whose, ...where, ...rest].join('  ');
  return line;
}

/** The first line, and not too much of it: `--json` has all. */
function briefly(text: string): string {
  const line = text.split('\n', 1)[0] ?? '';
  return line.length > longestValue || line.length < text.trimEnd().length ? `${line.slice(0, longestValue)}…` : line;
}
