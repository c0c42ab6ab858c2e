// What an application is given otherwise than its submission asked for, in words: Hadoop cuts and raises without any.
import type { Resource, ResourceTypes } from '../../model/resource.ts';
import { valueText } from '../../scheduler/explain/explanation-words.ts';
import type { SchedulingPolicy } from '../../scheduler/policy.ts';
import type { Adjustment } from '../../wire/cluster/adjustment.ts';
import type { Application } from '../applications/application.ts';
import type { Submission } from '../applications/submission.ts';
import { jobOf } from '../commands/submitted-job.ts';
import { nameOfType } from './amounts-by-name.ts';

export interface AdjustmentPorts {
  readonly policy: Pick<SchedulingPolicy, 'normalize' | 'minimumAllocation' | 'priorities'>;
  readonly types: ResourceTypes;
}

/** What an application has. */
export interface Given {
  readonly queue: string;
  readonly priority: number;
  /** Undefined: it may live for ever. */
  readonly lifetimeSeconds: number | undefined;
  /** Undefined: not known yet. */
  readonly attempts: number | undefined;
}

/** Each difference of what was asked for; `askedPriority`: before the scheduler looked at it. */
export function adjustmentsOf(
  ports: AdjustmentPorts,
  submission: Submission,
  given: Given,
  askedPriority = submission.priority,
): Adjustment[] {
  const { lifetimeSeconds: life, maximumAttempts: attempts, unmanaged, resource } = submission;
  const found: Adjustment[] = [];
  const highest = ports.policy.priorities.highest();
  if (askedPriority > highest && given.priority === highest)
    found.push({
      ...{ of: 'application', what: 'priority', asked: askedPriority, given: highest },
      sentence: `Its priority is ${highest}, not ${askedPriority}: more the cluster does not give (yarn.cluster.max-application-priority; fair and FIFO schedulers know none).`,
    });
  if (life !== undefined && given.lifetimeSeconds !== undefined && given.lifetimeSeconds < life)
    found.push({
      ...{ of: 'application', what: 'lifetimeSeconds', asked: life, given: given.lifetimeSeconds },
      sentence: `It is ended after ${given.lifetimeSeconds} s, not ${life} s: longer nothing lives in queue ${given.queue} (maximum-application-lifetime).`,
    });
  if (given.attempts !== undefined && given.attempts < attempts)
    found.push({
      ...{ of: 'application', what: 'attempts', asked: attempts, given: given.attempts },
      sentence: `Its master is tried ${given.attempts === 1 ? 'once' : `${given.attempts} times`}, not ${attempts} times: more the cluster does not try (yarn.resourcemanager.am.global.max-attempts, else yarn.resourcemanager.am.max-attempts).`,
    });
  if (!unmanaged) found.push(...sizesOf(ports, 'master', resource, given.queue));
  const job = jobOf(submission);
  if (!job) return found;
  const named: Readonly<Record<string, number>> = { ...job.resources, 'memory-mb': job.memoryMiB, vcores: job.vcores };
  const instance = ports.types.types.map(({ name }) => named[name] ?? 0);
  return [...found, ...sizesOf(ports, 'instance', instance, given.queue)];
}

/** What of a size containers have otherwise. */
function sizesOf({ policy, types }: AdjustmentPorts, of: 'master' | 'instance', asked: Resource, queue: string): Adjustment[] {
  const given = policy.normalize(asked, queue);
  const smallest = policy.minimumAllocation();
  return asked.flatMap((wanted, type): Adjustment[] => {
    const has = given[type] ?? 0;
    // Nothing was asked for, or what came of it is what was.
    if (wanted <= 0 || has === wanted) return [];
    const because =
      has < wanted
        ? 'the scheduler counts memory alone (yarn.scheduler.capacity.resource-calculator)'
        : has === smallest[type]
          ? 'less no container has'
          : 'it is given in whole steps';
    const unit = type === 0 ? 'mb' : 'vcores';
    const ofFair = has === smallest[type] ? '' : `; of the fair scheduler yarn.scheduler.increment-allocation-${unit}`;
    const setting = has > wanted && type < 2 ? ` (yarn.scheduler.minimum-allocation-${unit}${ofFair})` : '';
    return [
      {
        ...{ of, what: nameOfType(type, types), asked: wanted, given: has },
        sentence: `${of === 'master' ? 'Its master' : 'Each instance'} has ${valueText(has, type, types)}, not ${valueText(wanted, type, types)}: ${because}${setting}.`,
      },
    ];
  });
}

/** Those of an application that is there. */
export function adjustmentsOfApplication(ports: AdjustmentPorts, application: Application, askedPriority?: number): Adjustment[] {
  const { submission, queue, priority, maximumLifetimeSeconds: longest, maximumAttempts: attempts, admitted } = application;
  if (!admitted) return [];
  return adjustmentsOf(ports, submission, { queue, priority, lifetimeSeconds: longest > 0 ? longest : undefined, attempts }, askedPriority);
}
