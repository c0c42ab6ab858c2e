// `heddle app explain`: why an application waits, for people first, then request by request.
import type { Command } from 'commander';
import { queueText } from '../model/queue-text.ts';
import type { ApplicationExplanation } from '../wire/cluster/explanation.ts';
import { connect, talk } from './connection.ts';
import { type ClusterFlags, withClusterOptions } from './options.ts';
import { formatDuration, formatMemory, printJson, printTable, printText } from './output.ts';

/** Registers `heddle app explain`. */
export function addExplain(app: Command): void {
  withClusterOptions(app.command('explain').argument('<application>', 'its id'))
    .description('say why an application waits, and what would free it')
    .action(explain);
}

type Request = NonNullable<ApplicationExplanation['requests']>[number];
type Amounts = Readonly<Record<string, number | bigint>>;

const amountOf = (amounts: Request['resource']): string =>
  Object.entries((amounts ?? {}) as Amounts)
    .filter(([name, value]) => name === 'memoryMiB' || Number(value) > 0)
    .map(([name, value]) =>
      name === 'memoryMiB' ? formatMemory(value) : `${value} ${Number(value) === 1 ? name.replace(/^vcores$/, 'vcore') : name}`,
    )
    .join(', ');

type Row = (string | number | undefined)[];

/** So many nodes, and what each of them does. */
const nodesText = ({ count, sentence = '' }: { readonly count?: number; readonly sentence?: string }): string =>
  `${count} ${count === 1 ? sentence : sentence.replace(/^has\b/, 'have').replace(/^takes\b/, 'take')}`;

/** One line a request; those that follow each other and differ by name alone share one, with the sum of their counts. */
export function requestRows(requests: readonly Request[]): Row[] {
  const rows: { first: string; last: string; count: number; rest: Row }[] = [];
  for (const request of requests) {
    const name = request.master ? 'master' : (request.askId ?? '');
    const rest = [
      request.priority,
      amountOf(request.resource),
      request.partition,
      formatDuration(request.waitingMs),
      request.reasons?.map(({ rule }) => rule).join(' '),
      (request.nodes?.groups ?? []).map(nodesText).join(', '),
    ];
    const count = Number(request.count ?? 0);
    const before = rows.at(-1);
    if (before && JSON.stringify(before.rest) === JSON.stringify(rest)) {
      before.last = name;
      before.count += count;
    } else rows.push({ first: name, last: name, count, rest });
  }
  return rows.map(({ first, last, count, rest: [priority, size, ...others] }) => [
    first === last ? first : `${first} … ${last}`,
    priority,
    size,
    count,
    ...others,
  ]);
}

async function explain(id: string, flags: ClusterFlags): Promise<void> {
  const { cluster } = connect(flags);
  const found = await talk(() => cluster.explain(id));
  if (flags.json) return printJson(found);
  const since = found.waiting ? ` (for ${formatDuration(found.waitingMs)})` : '';
  printText(`${found.id}, ${found.state}, queue ${queueText(found.queue ?? '')}, user ${found.user}${since}\n${found.sentence}\n`);
  if (found.remedy) printText(`${found.remedy}\n`);
  if (found.finalStatus === 'FAILED') printText(`"heddle app logs ${id}" shows what it wrote.\n`);
  for (const { sentence } of found.adjusted ?? []) printText(`${sentence}\n`);
  if (found.queueState) printText(`The queue is ${found.queueState}: it takes no new applications.\n`);
  const requests = found.requests ?? [];
  if (requests.length === 0) return;
  printText('\n');
  printTable(['REQUEST', 'PRIORITY', 'SIZE', 'COUNT', 'LABEL', 'WAITS', 'RULE', 'NODES'], requestRows(requests));
  if (found.furtherRequests) printText(`and ${found.furtherRequests} more\n`);
  // The first sentence has been said already.
  const further = requests
    .flatMap(({ reasons }) => reasons ?? [])
    .filter(({ sentence }) => sentence !== undefined && !found.sentence?.endsWith(sentence))
    .map(({ rule, sentence }) => `${rule}: ${sentence}\n`);
  if (further.length > 0) printText(`\n${[...new Set(further)].join('')}`);
}
