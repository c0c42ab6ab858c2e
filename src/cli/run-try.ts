// `heddle run --dry-run`: what the cluster would make of the submission now.
import { coresText } from '../model/resource.ts';
import type { PlainSubmission } from '../wire/cluster/submission.ts';
import type { TriedSubmission } from '../wire/cluster/tried-submission.ts';
import { type Connection, remedyByWords, talk } from './connection.ts';
import { CommandFailure } from './failure.ts';
import { formatDuration, formatMemory, printFacts, printJson, printText } from './output.ts';
import { refusalOf, whatThereIs } from './refuse-first.ts';

type Containers = TriedSubmission['containers'][number];

/** Has it tried, and prints what would come of it. @throws CommandFailure where it would end at once, or its instances be refused */
export async function tryRun({ cluster }: Connection, context: PlainSubmission, json: boolean): Promise<void> {
  const tried = await talk(() => cluster.trySubmission(context));
  const refusal = refusalOf(tried);
  if (json) printJson(tried);
  else printTried(tried, refusal === undefined);
  if (refusal !== undefined) {
    const remedy = (await whatThereIs(cluster, refusal)) ?? remedyByWords(refusal);
    throw new CommandFailure(refusal, `${remedy === undefined ? '' : `${remedy} `}Nothing was submitted: --dry-run.`);
  }
  if (!json) printText('Nothing was submitted: --dry-run.\n');
}

function printTried(tried: TriedSubmission, withSentence: boolean): void {
  const { user, name, queue, mapped, priority, masterLabel, lifetimeSeconds, containers } = tried;
  printFacts([
    ['name', name],
    ['user', user],
    ['queue', queue === undefined ? undefined : `${queue}${mapped ? ' (by a placement rule)' : ''}`],
    // Below 0: none was asked for.
    ['priority', priority === undefined || priority < 0 ? undefined : priority],
    ['label', masterLabel],
    ['lifetime', lifetimeSeconds === undefined ? undefined : formatDuration(lifetimeSeconds * 1000)],
    ...containers.map((each): [string, string] => [each.role === 'master' ? 'master' : 'instances', containersText(each)]),
  ]);
  for (const { sentence } of tried.adjusted) printText(`${sentence}\n`);
  if (!withSentence) return;
  printText(`${tried.sentence}\n`);
  const remedy = containers.find(({ reasons }) => reasons.length > 0)?.reasons[0]?.remedy;
  if (remedy !== undefined) printText(`${remedy}\n`);
}

function containersText({ count, resource, nodes, waiting }: Containers): string {
  const { memoryMiB = 0, vcores = 0, ...others } = resource;
  const further = Object.entries(others).map(([name, amount]) => `, ${name}=${amount}`);
  const places = nodes.map(({ nodeId, count: there }) => (there === 1 ? nodeId : `${there} on ${nodeId}`));
  const where = [...places, ...(waiting > 0 ? [`${waiting} would wait`] : [])].join(', ');
  return `${count} × ${formatMemory(memoryMiB)}, ${coresText(vcores)}${further.join('')}: ${where}`;
}
