// What a submission would come to, in words and numbers.
import type { ResourceTypes } from '../../model/resource.ts';
import { wordsOf } from '../../scheduler/explain/explanation-words.ts';
import type { TriedSubmission as WireTried } from '../../wire/cluster/tried-submission.ts';
import type { TriedContainers, TriedSubmission } from '../commands/try-submission.ts';
import { type AdjustmentPorts, adjustmentsOf } from './adjustments.ts';
import { amounts } from './amounts-by-name.ts';

/** What is asked for what a submission would have; `attempts`: how often the cluster tries a master at most. */
interface TriedPorts extends AdjustmentPorts {
  readonly attempts: number;
}

/** The answer to a submission that is only tried. `askedPriority`: before the scheduler looked at it. */
export function triedView(tried: TriedSubmission, user: string, ports: TriedPorts, askedPriority: number | undefined): WireTried {
  if ('takenBefore' in tried) {
    const sentence = `It was submitted before, as ${tried.takenBefore}: submitting it again changes nothing.`;
    return { accepted: true, sentence, repeats: tried.takenBefore, user, containers: [], adjusted: [] };
  }
  const { types } = ports;
  const { submission, queue, mapped, priority, rejected, lifetimeSeconds, containers, depth } = tried;
  const masterLabel = submission.masterLabelExpression || submission.applicationLabelExpression;
  return {
    accepted: rejected === undefined,
    sentence:
      rejected === undefined
        ? depth === 'admission'
          ? admissionOf(containers)
          : sentenceOf(containers, types)
        : `It would be over at once, as FAILED: ${rejected}`,
    ...{ user, name: submission.name, type: submission.type, queue, mapped, priority },
    ...(masterLabel ? { masterLabel } : {}),
    ...(lifetimeSeconds === undefined ? {} : { lifetimeSeconds }),
    containers: containers.map((each) => containersView(each, types)),
    adjusted:
      rejected === undefined
        ? adjustmentsOf(ports, submission, { queue, priority, lifetimeSeconds, attempts: ports.attempts }, askedPriority)
        : [],
  };
}

function containersView(
  { role, count, resource, nodes, waiting, reasons, refused }: TriedContainers,
  types: ResourceTypes,
): WireTried['containers'][number] {
  return {
    ...{ role, count, waiting, resource: amounts(resource, types) },
    nodes: [...nodes].map(([nodeId, there]) => ({ nodeId, count: there })),
    reasons: reasons.map((reason) => ({ rule: reason.rule, ...wordsOf(reason, types) })),
    ...(refused === undefined ? {} : { refused }),
  };
}

const instancesOf = (count: number): string => (count === 1 ? 'its instance' : `its ${count} instances`);

function admissionOf(containers: readonly TriedContainers[]): string {
  const instances = containers.find(({ refused }) => refused !== undefined);
  return instances ? `Its master would be refused ${instancesOf(instances.count)}: ${instances.refused}` : 'It would be taken.';
}

const mostNamed = 5;

function sentenceOf(containers: readonly TriedContainers[], types: ResourceTypes): string {
  const master = containers.find(({ role }) => role === 'master');
  const instances = containers.find(({ role }) => role === 'instance');
  if (!master) return 'Its master, which runs outside the cluster, could register at once.';
  if (master.waiting > 0) return `Its master would wait${becauseOf(master, types)}`;
  const start = `Its master would start on ${placesOf(master)}`;
  if (!instances) return `${start} now.`;
  const what = instancesOf(instances.count);
  if (instances.refused !== undefined) return `${start}, and be refused ${what}: ${instances.refused}`;
  const placed = instances.count - instances.waiting;
  if (instances.waiting === 0) return `${start}, and ${what} on ${placesOf(instances)}, now.`;
  if (instances.reasons.length === 0) return `${start} now; ${what} would run in what others leave free.`;
  const some = placed === 0 ? `${what} would wait` : `${placed} of ${what} on ${placesOf(instances)}, now; the others would wait`;
  return `${start}${placed === 0 ? '; ' : ', and '}${some}${becauseOf(instances, types)}`;
}

function becauseOf({ reasons: [first] }: TriedContainers, types: ResourceTypes): string {
  return first ? ` because ${wordsOf(first, types).sentence}` : '.';
}

function placesOf({ nodes }: TriedContainers): string {
  const names = [...nodes.keys()];
  const more = names.length - mostNamed;
  return `${names.slice(0, mostNamed).join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
}
