// `heddle token create|list|revoke`: bearer tokens, for programs that call the cluster.
import { type Command, Option } from 'commander';
import { parseDuration } from '../config/values.ts';
import { systemErrorText } from '../lib/system-error.ts';
import { writeDurably } from '../lib/whole-writes.ts';
import { connect, talk } from './connection.ts';
import { CommandFailure } from './failure.ts';
import { type ClusterFlags, withClusterOptions } from './options.ts';
import { formatTime, printJson, printNote, printTable, printText } from './output.ts';

interface CreateFlags extends ClusterFlags {
  readonly scope: 'read' | 'submit' | 'admin';
  readonly queue?: readonly string[];
  readonly expires?: number;
  readonly out?: string;
}

/** Registers `heddle token …`. */
export function addToken(program: Command): void {
  const token = program.command('token').description('bearer tokens, for programs that call the cluster');
  const collect = (name: string, before: readonly string[] = []): readonly string[] => [...before, name];
  withClusterOptions(token.command('create'))
    .description('make a token and print it; it is shown this once')
    .argument('<name>', 'what it is listed as')
    .addOption(new Option('--scope <scope>', 'what it is good for').choices(['read', 'submit', 'admin']).default('read'))
    .addOption(
      new Option('--queue <queue>', 'a queue that it reaches, with those below; may be repeated (default: all)').argParser(collect),
    )
    .addOption(new Option('--expires <time>', 'how long it lasts, such as 12h or 30d (default: what the cluster says)').argParser(seconds))
    .option('--out <file>', 'write it to a new file that only you can read, instead of printing it')
    .action(create);
  withClusterOptions(token.command('list')).description('list your tokens').option('--all', 'those of every user').action(list);
  withClusterOptions(token.command('revoke'))
    .description('end a token; it counts nowhere any more')
    .argument('<token>', 'its id or its name')
    .action(revoke);
}

function seconds(text: string): number {
  const ms = /^\d+\s*[a-z]+$/i.test(text.trim()) ? parseDuration(text, 's') : undefined;
  if (ms === undefined || ms < 1000) throw new CommandFailure(`--expires: '${text}' is no time`, 'Write for example 12h or 30d.', 2);
  return Math.floor(ms / 1000);
}

async function create(name: string, { scope, queue, expires, out, ...flags }: CreateFlags): Promise<void> {
  const { cluster } = connect(flags);
  const { text, ...token } = await talk(() => cluster.createToken({ name, scope, queues: queue, lifetimeSeconds: expires }));
  if (out !== undefined) {
    try {
      writeDurably(out, `${text}\n`, { mode: 0o600, flag: 'wx' });
    } catch (error) {
      // Nobody has its text any more.
      await talk(() => cluster.revokeToken(token.id));
      throw new CommandFailure(`${systemErrorText(error, out)}; no token was made`, 'Name a file that is not there yet.');
    }
  }
  if (flags.json) return printJson(out === undefined ? { ...token, text } : token);
  if (out === undefined) printText(`${text}\n`);
  printNote(
    `Token ${token.id} of ${token.user}, scope ${token.scope}, until ${formatTime(token.expiresMs)}. ${out === undefined ? 'It is not shown again.' : `It is in ${out}.`}\n`,
  );
  if (!token.proved) printNote('You only named yourself: it counts only while the cluster believes names.\n');
}

async function list({ all, ...flags }: ClusterFlags & { readonly all?: boolean }): Promise<void> {
  const { cluster } = connect(flags);
  const tokens = await talk(() => cluster.tokens(all));
  if (flags.json) return printJson(tokens);
  if (tokens.length === 0) return printText('No tokens; "heddle token create NAME" makes one.\n');
  printTable(
    ['ID', 'NAME', 'USER', 'SCOPE', 'QUEUES', 'CREATED', 'EXPIRES', 'LAST USED'],
    tokens.map(({ id, name, user, scope, queues, createdMs, expiresMs, lastUsedMs }) => [
      ...[id, name, user, scope, queues?.join(' ') ?? 'all'],
      ...[createdMs, expiresMs, lastUsedMs].map(formatTime),
    ]),
    ['LAST USED', 'CREATED', 'USER'],
  );
}

async function revoke(named: string, flags: ClusterFlags): Promise<void> {
  const { cluster } = connect(flags);
  const token = await talk(() => cluster.revokeToken(named));
  if (flags.json) return printJson(token);
  printText(`Token ${token.id} (${token.name}) of ${token.user} is revoked.\n`);
}
