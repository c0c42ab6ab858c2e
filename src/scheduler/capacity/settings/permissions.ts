// Who may do what in a queue: access lists, priority lists, labels, moves; refusals in Hadoop's words.
import { isListed } from '../../../model/access-list.ts';
import type { WantedPriority } from '../../abilities.ts';
import type { QueueAcl, SchedulerSettings } from '../../policy.ts';
import type { CapacityApplication } from '../application.ts';
import type { CapacityQueue } from '../queues/queue.ts';
import type { QueueTree } from '../queues/tree.ts';
import { mayUseLabel } from './queue-settings.ts';

/** The user is in the queue's list or an ancestor's; an unknown full path counts as its nearest known ancestor. */
export function mayAccess(tree: QueueTree, queue: string, user: string, groups: readonly string[], acl: QueueAcl): boolean {
  let name = queue;
  let at = tree.get(name);
  while (!at && name.startsWith('root.')) {
    name = name.slice(0, name.lastIndexOf('.'));
    at = tree.get(name);
  }
  for (; at; at = at.parent)
    if (isListed(acl === 'ADMINISTER_QUEUE' ? at.settings.administer : at.settings.submit, user, groups)) return true;
  return false;
}

/** Undefined when the priority, after the cluster's cap, is within what `acl_application_max_priority` grants. */
export function refusesPriority(tree: QueueTree, settings: SchedulerSettings, wanted: WantedPriority): string | undefined {
  const { applicationId, user, groups } = wanted;
  const grants = tree.get(wanted.queue)?.settings.priorityGrants ?? [];
  if (!settings.aclEnabled || grants.length === 0) return undefined;
  const capped = Math.min(wanted.priority, settings.maximumPriority);
  if (grants.some((grant) => isListed(grant.list, user, groups) && capped <= grant.maximum)) return undefined;
  return `org.apache.hadoop.security.AccessControlException: User ${user} (auth:SIMPLE) does not have permission to submit/update ${applicationId} for ${capped}`;
}

/** Undefined when the label expression may be used in the queue. */
export function refusesLabels(
  tree: QueueTree,
  queue: string,
  expression: string | undefined,
  labelsEnabled: boolean,
  known: ReadonlySet<string>,
): string | undefined {
  const at = tree.get(queue);
  const label = (expression ?? at?.settings.defaultLabel ?? '').trim();
  if (label === '') return undefined;
  if (!labelsEnabled) return 'Invalid resource request, node label not enabled but request contains label expression';
  if (label.includes('&&')) {
    return `Invalid resource request, queue=${nameOf(at, queue)} specified more than one node label in a node label expression, node label expression = ${label}`;
  }
  if (at && !at.settings.isPlan && !mayUseLabel(at.settings, label)) {
    return `Invalid resource request, queue=${nameOf(at, queue)} doesn't have permission to access all labels in resource request. labelExpression of resource request=${label}. Queue labels=${at.settings.accessibleLabels.join(',')}`;
  }
  if (!known.has(label)) return `Invalid label resource request, cluster do not contain , label= ${label}`;
  return undefined;
}

/** Undefined when the leaf takes the application. */
export function refusesMove(application: CapacityApplication, target: CapacityQueue): string | undefined {
  const id = application.applicationId;
  if (target.state !== 'RUNNING') return `Queue ${target.path} is STOPPED. Cannot accept submission of application: ${id}`;
  if (target.leaf!.applications.size >= target.leaf!.maximumApplications)
    return `Queue ${target.path} already has ${target.leaf!.applications.size} applications, cannot accept submission of application: ${id}`;
  const ofUser = target.leaf!.users.byName.get(application.user)?.applications ?? 0;
  if (ofUser >= target.leaf!.maximumApplicationsPerUser)
    return `Queue ${target.path} already has ${ofUser} applications from user ${application.user} cannot accept submission of application: ${id}`;
  return undefined;
}

const nameOf = (queue: CapacityQueue | undefined, asked: string): string => queue?.settings.name ?? asked;
