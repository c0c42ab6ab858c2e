// `POST /api/v1/queues/what-if`: what other queues would come to, in numbers and a sentence.

import { type Answer, json } from '../../http/answers.ts';
import type { Call, Service } from '../../http/service.ts';
import { differences } from '../../lib/differences.ts';
import { failure } from '../../model/errors.ts';
import type { ResourceTypes } from '../../model/resource.ts';
import type { ApplicationStanding, QueueStanding } from '../../scheduler/what-if.ts';
import type { QueueWhatIf } from '../../wire/cluster/queue-what-if.ts';
import { type QueueProposalBody, queueProposal, schedulerConfRoots } from '../../wire/cluster/scheduler-conf.ts';
import type { ClusterView } from '../cluster/cluster-view.ts';
import type { Commands } from '../commands/commands.ts';
import type { TriedQueues } from '../commands/try-queues.ts';
import type { QueueProposal } from '../queue-configuration.ts';
import { amounts } from './amounts-by-name.ts';
import type { KnownCaller } from './callers.ts';
import { changeOf, pairsOf } from './scheduler-conf.ts';

/** What this route works with. */
export interface QueueWhatIfNeeds {
  readonly caller: KnownCaller;
  readonly commands: Pick<Commands, 'tryQueues'>;
  readonly view: Pick<ClusterView, 'application'>;
  readonly types: ResourceTypes;
}

/** Adds the route. */
export function mountQueueWhatIf(service: Service, { caller: known, commands, view, types }: QueueWhatIfNeeds): void {
  service.route<QueueProposalBody>({
    method: 'POST',
    path: '/api/v1/queues/what-if',
    about:
      'What the queues would come to with a change, or with another queue file: shares, who would start, what would be taken back. Nothing is changed.',
    access: 'admin',
    body: queueProposal,
    bodyRoots: schedulerConfRoots,
    strictBody: true,
    consumes: ['json'],
    produces: ['json'],
    handle: async ({ caller, body }: Call<QueueProposalBody>): Promise<Answer> => {
      const tried = await commands.tryQueues(known(caller), proposalOf(body));
      return json(whatIfView(tried, (id) => view.application(id)?.submission.name ?? '', types));
    },
  });
}

/** A whole file, where the body has one, else the change. @throws Failure BAD_REQUEST where it has both */
function proposalOf(body: QueueProposalBody): QueueProposal {
  const { allocations, ...others } = body;
  if (allocations !== undefined) {
    if (Object.keys(others).length > 0)
      throw failure('BAD_REQUEST', { reason: 'allocations are a whole file: nothing may stand beside them.' });
    return { allocations };
  }
  const whole = pairsOf(body.properties);
  if (whole.length === 0) return changeOf(body);
  return { whole: new Map(whole.flatMap(([key, value]): [string, string][] => (value === undefined ? [] : [[key, value]]))) };
}

const mostListed = 200;

/** The answer. */
export function whatIfView(tried: TriedQueues, nameOf: (applicationId: string) => string, types: ResourceTypes): QueueWhatIf {
  const keys = differences(tried.properties.before, tried.properties.after).map(({ key, from, to }) => ({
    key,
    ...(from === undefined ? {} : { before: from }),
    ...(to === undefined ? {} : { after: to }),
  }));
  const starting = tried.applications.filter(({ before, after }) => !before.hasMaster && after.hasMaster).length;
  const sum = (of: (standing: ApplicationStanding) => number) =>
    tried.applications.reduce((total, { before, after }) => total + of(after) - of(before), 0);
  const containers = sum(({ running }) => running);
  const preempted = Math.max(
    0,
    sum((standing) => standing.preempted),
  );
  return {
    sentence: sentenceOf(keys.length, { starting, containers, preempted }, tried),
    keys: keys.slice(0, mostListed),
    moreKeys: Math.max(0, keys.length - mostListed),
    queues: tried.queues.slice(0, mostListed).map(({ path, partition, before, after }) => ({
      ...{ path, partition },
      ...(before ? { before: queueSide(before, types) } : {}),
      ...(after ? { after: queueSide(after, types) } : {}),
    })),
    moreQueues: Math.max(0, tried.queues.length - mostListed),
    applications: tried.applications.slice(0, mostListed).map(({ applicationId, user, queue, before, after }) => ({
      ...{ id: applicationId, name: nameOf(applicationId), user, queue, starts: !before.hasMaster && after.hasMaster },
      ...{ before: applicationSide(before), after: applicationSide(after) },
    })),
    moreApplications: Math.max(0, tried.applications.length - mostListed),
    ...{ starting, containers, preempted },
    ...{ preempts: tried.preempts, spanMs: tried.spanMs, complete: tried.complete },
  };
}

const queueSide = (
  { state, guaranteedPercent, maximumPercent, guaranteed, used, pending, active, inactive }: QueueStanding,
  types: ResourceTypes,
): NonNullable<QueueWhatIf['queues'][number]['before']> => ({
  ...{ state, guaranteedPercent, maximumPercent },
  ...{ guaranteed: amounts(guaranteed, types), used: amounts(used, types), pending: amounts(pending, types) },
  ...(active === undefined ? {} : { activeApplications: active }),
  ...(inactive === undefined ? {} : { pendingApplications: inactive }),
});

const applicationSide = ({ running, waiting, preempted }: ApplicationStanding): QueueWhatIf['applications'][number]['before'] => ({
  ...{ running, waiting, preempted },
});

const counted = (count: number, what: string): string => `${count} ${what}${count === 1 ? '' : 's'}`;

interface Totals {
  readonly starting: number;
  readonly containers: number;
  readonly preempted: number;
}

function sentenceOf(
  keys: number,
  { starting, containers, preempted }: Totals,
  { queues, preempts, complete, spanMs }: TriedQueues,
): string {
  if (keys === 0) return 'The queues would be as they are.';
  const parts = [
    ...(starting > 0 ? [`${counted(starting, 'application')} that ${starting === 1 ? 'waits' : 'wait'} now would start`] : []),
    ...(containers === 0 ? [] : [`${counted(Math.abs(containers), 'container')} ${containers > 0 ? 'more' : 'fewer'} would run`]),
    ...(preempted > 0 ? [`${counted(preempted, 'container')} would be taken back within ${Math.ceil(spanMs / 1000)} s`] : []),
  ];
  const shares = queues.length > 0 ? 'Shares would be others; nothing' : 'Nothing';
  const told = parts.length > 0 ? `${parts.join(', ')}.` : `${shares} that runs or waits now would fare otherwise.`;
  const later =
    preempts || parts.length === 0
      ? ''
      : ' Nothing is taken back, since preemption is off: what is held beyond a share is given up as it ends.';
  return `${told}${later}${complete ? '' : ' It did not look further: more may follow.'}`;
}
