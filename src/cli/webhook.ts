// `heddle webhook add|list|show|remove|redeliver`: addresses that events are sent to.

import { readFileSync } from 'node:fs';
import { type Command, InvalidArgumentError } from 'commander';
import type { WebhookInfo } from '../client/cluster-client.ts';
import { systemErrorText } from '../lib/system-error.ts';
import { connect, talk } from './connection.ts';
import { CommandFailure } from './failure.ts';
import { kindsAbout } from './offered-words.ts';
import { type ClusterFlags, withClusterOptions } from './options.ts';
import { formatTime, printJson, printNote, printTable, printText } from './output.ts';

interface AddFlags extends ClusterFlags {
  readonly application?: readonly string[];
  readonly owner?: readonly string[];
  readonly queue?: readonly string[];
  readonly kind?: string;
  readonly secretFile?: string;
}

const longestSecretFile = 4096;

/** Registers `heddle webhook …`. */
export function addWebhook(program: Command): void {
  const webhook = program.command('webhook').description('addresses that events of the cluster are sent to');
  const collect = (text: string, before: readonly string[] = []): readonly string[] => [...before, ...text.split(',')];
  withClusterOptions(webhook.command('add'))
    .description('have events sent to an address, and print the secret by which they are signed; it is shown this once')
    .argument('<url>', 'where they are sent, with http or https')
    .option(
      '--kind <kinds>',
      'only these, separated by commas: application, attempt, container, node, or one such as application.finished',
      kindsAbout('application', 'attempt', 'container', 'node'),
    )
    .option('--application <ids>', 'only those of these applications', collect)
    .option('--owner <users>', 'only those of applications of these users', collect)
    .option('--queue <queues>', 'only those of applications in these queues and below', collect)
    .option('--secret-file <file>', 'a file with the secret, instead of one that is made')
    .action(add);
  withClusterOptions(webhook.command('list'))
    .description('list your webhooks and how they fare')
    .option('--all', 'those of every user')
    .action(list);
  withClusterOptions(webhook.command('show'))
    .description('show a webhook and the events that were given up for it')
    .argument('<webhook>', 'its id')
    .action(show);
  withClusterOptions(webhook.command('remove')).description('send nothing there any more').argument('<webhook>', 'its id').action(remove);
  withClusterOptions(webhook.command('redeliver'))
    .description('send events again that were given up')
    .argument('<webhook>', 'its id')
    .argument('[delivery...]', 'numbers of deliveries (default: all that were given up)', numberOf)
    .action(redeliver);
}

function numberOf(text: string, before: readonly number[] = []): readonly number[] {
  if (!/^\d{1,15}$/.test(text)) throw new InvalidArgumentError('It must be a number, as "heddle webhook show" has it.');
  return [...before, Number(text)];
}

function secretIn(file: string): string {
  try {
    return readFileSync(file, 'utf8').slice(0, longestSecretFile).trim();
  } catch (error) {
    throw new CommandFailure(systemErrorText(error, file), 'Name a file with 16 to 200 printable letters.');
  }
}

async function add(url: string, { application, owner, queue, kind, secretFile, ...flags }: AddFlags): Promise<void> {
  const { cluster } = connect(flags);
  const given = secretFile === undefined ? undefined : secretIn(secretFile);
  const wanted = { url, secret: given, applications: application, users: owner, queues: queue, kinds: kind?.split(',') };
  const { secret, ...webhook } = await talk(() => cluster.createWebhook(wanted));
  if (flags.json) return printJson(given === undefined ? { ...webhook, secret } : webhook);
  if (given === undefined) printText(`${secret}\n`);
  printNote(`Webhook ${webhook.id} of ${webhook.user}.${given === undefined ? ' Its secret is not shown again.' : ''}\n`);
  if (!webhook.proved) printNote('You only named yourself: it counts only while the cluster believes names.\n');
}

const chosen = ({ applications, users, queues, kinds }: WebhookInfo): string =>
  [applications, users, queues, kinds].flatMap((names) => names?.join(',') ?? []).join(' ') || 'all';
const standing = ({ failingSinceMs, lastFailure }: WebhookInfo): string =>
  failingSinceMs === undefined ? 'well' : `failing since ${formatTime(failingSinceMs)}: ${lastFailure ?? ''}`;

async function list({ all, ...flags }: ClusterFlags & { readonly all?: boolean }): Promise<void> {
  const { cluster } = connect(flags);
  const webhooks = await talk(() => cluster.webhooks(all));
  if (flags.json) return printJson(webhooks);
  if (webhooks.length === 0) return printText('No webhooks; "heddle webhook add URL" makes one.\n');
  printTable(
    ['ID', 'USER', 'URL', 'EVENTS', 'WAITING', 'DELIVERED', 'DEAD', 'STATE'],
    webhooks.map((webhook) => [
      ...[webhook.id, webhook.user, webhook.url, chosen(webhook)],
      ...[webhook.waiting, webhook.delivered, webhook.deadLetters].map(String),
      standing(webhook),
    ]),
    ['DELIVERED', 'EVENTS', 'USER'],
  );
}

async function show(id: string, flags: ClusterFlags): Promise<void> {
  const { cluster } = connect(flags);
  const { letters, ...webhook } = await talk(() => cluster.webhook(id));
  if (flags.json) return printJson({ ...webhook, letters });
  printText(`${webhook.id} of ${webhook.user}: ${webhook.url}\nEvents: ${chosen(webhook)}\nState: ${standing(webhook)}\n`);
  printText(`Waiting: ${webhook.waiting}, delivered: ${webhook.delivered}, failed tries: ${webhook.failures}\n`);
  printText(`Given up: ${webhook.deadLetters}, and ${webhook.dropped} that are not kept\n`);
  if (letters.length === 0) return;
  printTable(
    ['DELIVERY', 'KIND', 'HAPPENED', 'TRIES', 'GIVEN UP', 'REASON'],
    letters.map(({ delivery, kind, madeMs, tries, deadMs, reason }) => [
      ...[String(delivery), kind, formatTime(madeMs), String(tries), formatTime(deadMs), reason],
    ]),
  );
}

async function remove(id: string, flags: ClusterFlags): Promise<void> {
  const { cluster } = connect(flags);
  const { removed } = await talk(() => cluster.removeWebhook(id));
  if (flags.json) return printJson({ removed });
  printText(`Webhook ${removed} is removed.\n`);
}

async function redeliver(id: string, deliveries: readonly number[] | undefined, flags: ClusterFlags): Promise<void> {
  const { cluster } = connect(flags);
  const named = deliveries === undefined || deliveries.length === 0 ? undefined : deliveries;
  const { redelivered } = await talk(() => cluster.redeliver(id, named));
  if (named !== undefined && redelivered < new Set(named).size)
    throw new CommandFailure(
      `${redelivered} of ${new Set(named).size} deliveries are sent again: the others were not given up, or are not kept any more`,
      `"heddle webhook show ${id}" lists those that can be sent again.`,
    );
  if (flags.json) return printJson({ redelivered });
  printText(`${redelivered} ${redelivered === 1 ? 'event is' : 'events are'} sent again.\n`);
}
