// Keys of capacity-scheduler.xml that change nothing: of queues there are not, misspelt ones, and options that Heddle does not need.
import { type KeyNames, keyOf, prefix, type QueueOption } from './option.ts';
import { isClusterKey, isQueueKey, optionsOf } from './options.ts';
import { list } from './properties.ts';
import { automaticOptions, joinedOptions } from './queue-options.ts';

const mostNamed = 20;

/** One sentence for each key, at most twenty; of `asked` alone where that is given. */
export function uselessKeys(properties: ReadonlyMap<string, string>, asked?: ReadonlySet<string>): string[] {
  const queues = new Set<string>();
  const makers: string[] = [];
  const isOn = (option: QueueOption, names: KeyNames): boolean => properties.get(keyOf(option, names))?.trim() === 'true';
  const enter = (path: string): void => {
    if (queues.has(path)) return;
    queues.add(path);
    for (const option of [automaticOptions.makesLeaves, automaticOptions.makesQueues])
      if (isOn(option, { queue: path })) makers.push(`${path}.`);
    for (const child of list(properties.get(keyOf(joinedOptions.queues, { queue: path })) ?? '')) enter(`${path}.${child}`);
  };
  enter('root');
  const found: string[] = [];
  for (const [key, value] of properties) {
    if (found.length >= mostNamed) break;
    if (!key.startsWith(prefix) || asked?.has(key) === false) continue;
    const rest = key.slice(prefix.length);
    const why = rest.startsWith('root.') ? uselessOfQueue(rest, value, queues, makers) : uselessOfCluster(rest, value);
    if (why !== undefined) found.push(`${key} ${why}.`);
  }
  return found;
}

/** Why a key of a queue changes nothing; `rest` begins with the queue's path, `makers` are paths below which queues are made. */
function uselessOfQueue(rest: string, value: string, queues: ReadonlySet<string>, makers: readonly string[]): string | undefined {
  const path = pathOf(rest, queues);
  const own = rest.slice(path.length + 1);
  if (isQueueKey(own)) return inertReason(own, value, 'queues');
  if (rest.includes('.*.') || makers.some((maker) => rest.startsWith(maker))) return undefined;
  const dot = own.indexOf('.');
  const other = dot > 0 && isQueueKey(own.slice(own.lastIndexOf('.') + 1));
  const why = other ? `there is no queue ${path}.${own.slice(0, own.lastIndexOf('.'))}` : `queues have no setting ${own}`;
  return `has no effect: ${why}`;
}

const uselessOfCluster = (own: string, value: string): string | undefined =>
  isClusterKey(own) ? inertReason(own, value, 'cluster') : `has no effect: the scheduler has no setting ${own}`;

/** Of an option that Heddle does not need and that asks for something else than what holds without it. */
function inertReason(own: string, value: string, scope: 'queues' | 'cluster'): string | undefined {
  const option = optionsOf(scope).find(({ key }) => key === own);
  const asksOther = option?.inert !== undefined && value.trim() !== '' && value.trim() !== String(option.default ?? '');
  return asksOther ? `changes nothing here: ${option.inert}` : undefined;
}

/** The longest path of a queue that the key begins with. */
function pathOf(rest: string, queues: ReadonlySet<string>): string {
  const parts = rest.split('.');
  for (let length = parts.length - 1; length > 0; length--) {
    const path = parts.slice(0, length).join('.');
    if (queues.has(path)) return path;
  }
  return 'root';
}
