// What other queues would come to, as people read it.

import { queueText } from '../model/queue-text.ts';
import { coresText } from '../model/resource.ts';
import type { QueueWhatIf } from '../wire/cluster/queue-what-if.ts';
import { formatMemory, printTable, printText } from './output.ts';

type Side = QueueWhatIf['queues'][number]['before'];

/** A value before and after; one where they are the same. */
function change(before: string | number | undefined, after: string | number | undefined): string {
  const [was, is] = [before ?? '-', after ?? '-'].map(String);
  return was === is ? is! : `${was} -> ${is}`;
}

const percent = (value: number | undefined): string | undefined => (value === undefined ? undefined : `${Number(value.toFixed(1))}%`);
const amount = (side: Side, of: 'used' | 'pending'): string | undefined =>
  side && `${formatMemory(side[of]['memoryMiB'] ?? 0)}, ${coresText(side[of]['vcores'] ?? 0)}`;

/** Prints tables of what would be others, and the sentence. */
export function printWhatIf(told: QueueWhatIf): void {
  const { queues, applications } = told;
  if (queues.length > 0) {
    printText('\n');
    printTable(
      ['QUEUE', 'LABEL', 'GUARANTEED', 'MAXIMUM', 'USED', 'WAITS FOR'],
      queues.map(({ path, partition, before, after }) => [
        queueText(path),
        partition,
        change(percent(before?.guaranteedPercent), percent(after?.guaranteedPercent)),
        change(percent(before?.maximumPercent), percent(after?.maximumPercent)),
        change(amount(before, 'used'), amount(after, 'used')),
        change(amount(before, 'pending'), amount(after, 'pending')),
      ]),
    );
    if (told.moreQueues > 0) printText(`and ${told.moreQueues} more queues\n`);
  }
  if (applications.length > 0) {
    printText('\n');
    printTable(
      ['APPLICATION', 'NAME', 'USER', 'QUEUE', 'STARTS', 'RUNNING', 'WAITING', 'TAKEN BACK'],
      applications.map(({ id, name, user, queue, starts, before, after }) => [
        ...[id, name, user, queueText(queue), starts ? 'yes' : ''],
        ...[change(before.running, after.running), change(before.waiting, after.waiting), change(before.preempted, after.preempted)],
      ]),
    );
    if (told.moreApplications > 0) printText(`and ${told.moreApplications} more applications\n`);
  }
  printText(`\n${told.sentence}\n`);
}
