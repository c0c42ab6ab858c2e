// Keys of capacity-scheduler.xml that nothing reads: of queues there are not, and misspelt ones.
import { list, prefix } from './properties.ts';

const mostNamed = 20;

/** What may follow a queue's path. */
const known = new RegExp(
  `^(${[
    'queues|state|capacity|maximum-capacity|priority|ordering-policy(\\..+)?|reservable|allow-zero-capacity-sum|hide-reservation-queues',
    'acl_(submit_applications|administer_queue|application_max_priority|(submit|list|administer)_reservations)',
    'minimum-user-limit-percent|user-limit-factor|user-settings\\..+\\.weight|maximum-applications|max-parallel-apps|maximum-am-resource-percent',
    '(maximum|default)-application-lifetime|default-application-priority|(maximum|minimum)-allocation(-mb|-vcores)?',
    'disable_preemption|intra-queue-preemption\\.disable_preemption|default-node-label-expression|multi-node-sorting\\.policy',
    'accessible-node-labels(\\.[^.]+\\.(capacity|maximum-capacity|maximum-am-resource-percent))?',
    'reservation-(window|policy|agent|planner|move-on-expiry|enforcement-window)|(average|instantaneous-max)-capacity|show-reservations-as-queues',
    '(auto-create-child-queue|leaf-queue-template|auto-queue-creation-v2)\\..+',
  ].join('|')})$`,
);

/** One sentence for each key, at most twenty. */
export function uselessKeys(properties: ReadonlyMap<string, string>): string[] {
  const queues = new Set<string>();
  const makers: string[] = [];
  const enter = (path: string): void => {
    if (queues.has(path)) return;
    queues.add(path);
    for (const kind of ['auto-create-child-queue', 'auto-queue-creation-v2'])
      if (properties.get(`${prefix}${path}.${kind}.enabled`)?.trim() === 'true') makers.push(`${path}.`);
    for (const child of list(properties.get(`${prefix}${path}.queues`) ?? '')) enter(`${path}.${child}`);
  };
  enter('root');
  const found: string[] = [];
  for (const key of properties.keys()) {
    const rest = key.startsWith(`${prefix}root.`) ? key.slice(prefix.length) : undefined;
    if (rest === undefined) continue;
    const path = pathOf(rest, queues);
    const own = rest.slice(path.length + 1);
    if (known.test(own) || rest.includes('.*.') || makers.some((maker) => rest.startsWith(maker))) continue;
    const dot = own.indexOf('.');
    const other = dot > 0 && known.test(own.slice(own.lastIndexOf('.') + 1));
    const why = other ? `there is no queue ${path}.${own.slice(0, own.lastIndexOf('.'))}` : `queues have no setting ${own}`;
    found.push(`${key} has no effect: ${why}.`);
    if (found.length >= mostNamed) break;
  }
  return found;
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
