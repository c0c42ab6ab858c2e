// What a master asks for that has no plan: the same ids again, other sizes, labels, tags and places, changes of what it holds.
import type { Random } from '../../src/lib/random.ts';
import { type PlacementConstraint, parseConstraint } from '../../src/model/placement-constraint.ts';
import type { TakenRequest } from '../../src/resource-manager/cluster/masters.ts';
import { nothingToRun } from './submissions.ts';

const updateTypes = ['PROMOTE_EXECUTION_TYPE', 'DEMOTE_EXECUTION_TYPE', 'INCREASE_RESOURCE', 'DECREASE_RESOURCE'] as const;

/** A random call of a master that holds the given containers, and may ask for changes of some. `labels` takes the label that each request names. */
export function wantonRequest(
  random: Random,
  responseId: number,
  held: readonly string[],
  mayChange: (containerId: string) => boolean,
  mayUse: (label: string) => boolean,
  labels: Map<string, Set<string | undefined>>,
): TakenRequest {
  const requests = [];
  for (let i = random.int(3); i > 0; i--) {
    const launch = random.int(3) > 0 ? nothingToRun : undefined;
    const nodes = random.int(4) === 0 ? [`n${random.int(4)}`] : [];
    const label = ['', '', '', 'x', 'y'][random.int(5)]!;
    const askId = `ask${random.int(2) === 0 ? random.int(3) : random.int(1000)}`;
    const labelled = label !== '' && nodes.length === 0 && mayUse(label);
    labels.set(askId, (labels.get(askId) ?? new Set()).add(labelled ? label : undefined));
    requests.push({
      askId,
      priority: 1 + random.int(3),
      resource: { memoryMiB: 128 * (1 + random.int(16)), vcores: 1 + random.int(2) },
      count: random.int(random.int(4) === 0 ? 12 : 4),
      nodes,
      racks: random.int(8) === 0 ? [`/r${random.int(2)}`] : [],
      ...(labelled ? { labelExpression: label } : {}),
      relaxLocality: nodes.length === 0 || random.int(2) === 0,
      ...(launch ? { launch } : {}),
      ...boundTo(random),
    });
  }
  const updates = held
    .filter((id) => mayChange(id) && random.int(4) === 0)
    .map((containerId) => ({
      containerId,
      updateType: updateTypes[random.int(updateTypes.length)]!,
      resource: { memoryMiB: 128 * (1 + random.int(20)), vcores: 1 + random.int(3) },
    }));
  return {
    responseId,
    progress: random.next(),
    requests,
    releases: held.filter(() => random.int(6) === 0),
    cancels: random.int(5) === 0 ? ['ask0', 'ask1', 'ask2'] : [],
    updates,
  };
}

/** Some asks are opportunistic, some have tags and are bound to where others stand. */
function boundTo(random: Random): {
  executionType?: 'OPPORTUNISTIC';
  allocationTags?: string[];
  placementConstraint?: PlacementConstraint;
} {
  const kind = random.int(6);
  if (kind < 2) return { executionType: 'OPPORTUNISTIC' };
  if (kind > 2) return {};
  const tag = `tag${random.int(2)}`;
  const texts = [`notin,node,${tag}`, `cardinality,node,all/${tag},0,2`, `in,rack,${tag}`, `and(notin,node,tag0:notin,node,all/tag1)`];
  return { allocationTags: [tag], placementConstraint: parseConstraint(texts[random.int(texts.length)]!) };
}
