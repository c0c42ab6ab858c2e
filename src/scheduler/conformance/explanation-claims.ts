// Whether what an explanation claims of a random world is true, and whether it helps to take away what it names. For tests.
import assert from 'node:assert/strict';
import { difference, type Resource } from '../../model/resource.ts';
import type { RequestExplanation, WaitingReason } from '../explain/explanation.ts';
import { dominantCalculator } from '../state/calculator.ts';
import type { TestApplication, TestNode, World } from './explanation-world.ts';

// ---- is it true?

const above = (used: Resource, asked: Resource, limit: Resource): boolean =>
  used.some((value, i) => value + (asked[i] ?? 0) > (limit[i] ?? 0) + 1e-6);

/** What the node must be like for what it is said to be. */
function nodeSays(world: World, node: TestNode, application: TestApplication, request: RequestExplanation): string {
  const isDominant = world.queues['resource-calculator']?.endsWith('DominantResourceCalculator') ?? false;
  const memoryAlone = world.kind === 'fifo' || (world.kind === 'capacity' && !isDominant);
  const resource = memoryAlone ? request.resource.slice(0, 1) : request.resource;
  const fits = (room: Resource) => resource.every((value, i) => value <= room[i]!);
  const wish = world.applications.get(application.applicationId)!.requests.get(request.requestId);
  if (!node.schedulable) return 'UNSCHEDULABLE';
  if (application.blacklist.has(node.host)) return 'BLACKLISTED';
  if (!fits(node.resource)) return 'TOO_SMALL';
  if (wish && !wish.relaxLocality && !wish.nodes.includes(node.host)) return 'ELSEWHERE';
  return fits(world.simulator.policy.nodeUsage(node.nodeId)!.available) ? 'FITS' : 'FULL';
}

function checkNodes(world: World, application: TestApplication, request: RequestExplanation): Map<string, number> {
  const counts = new Map<string, number>();
  const own = [...world.nodes.values()].filter(({ label }) => label === request.partition);
  for (const node of own) {
    const says = nodeSays(world, node, application, request);
    counts.set(says, (counts.get(says) ?? 0) + 1);
  }
  assert.equal(request.nodes.count, own.length);
  assert.equal(
    request.nodes.groups.reduce((sum, { count }) => sum + count, 0),
    own.length,
  );
  for (const { why, count, nodeIds } of request.nodes.groups) {
    assert.ok(nodeIds.length > 0 && nodeIds.length <= Math.min(5, count));
    // A reserved node may be full or not; it is not offered to others either way.
    if (!['RESERVED', 'FULL', 'FITS'].includes(why)) assert.equal(count, counts.get(why), `${why} of ${JSON.stringify(request)}`);
    else assert.ok(count <= (counts.get('FULL') ?? 0) + (counts.get('FITS') ?? 0));
  }
  return counts;
}

export function checkClaim(world: World, application: TestApplication, request: RequestExplanation, waitingReason: WaitingReason): void {
  const counts = checkNodes(world, application, request);
  const says = (why: string) => request.nodes.groups.some((group) => group.why === why);
  const text = JSON.stringify(waitingReason);
  switch (waitingReason.rule) {
    case 'QUEUE_MAXIMUM':
    case 'ANCESTOR_MAXIMUM': {
      const { used, asked, limit } = waitingReason as Required<WaitingReason>;
      const total = world.simulator.policy.clusterResource(waitingReason.partition);
      assert.ok(above(used, asked, limit) || dominantCalculator.compare(total, used, limit) >= 0, text);
      assert.ok(application.queue === waitingReason.queue || application.queue.startsWith(`${waitingReason.queue}.`), text);
      break;
    }
    case 'QUEUE_MASTER_LIMIT':
    case 'USER_MASTER_LIMIT':
      assert.ok(above(waitingReason.used!, waitingReason.asked!, waitingReason.limit!), text);
      break;
    case 'USER_LIMIT':
      assert.ok(above(waitingReason.used!, [], waitingReason.limit!), text);
      assert.ok(difference(world.simulator.policy.usage(application.applicationId)!.allocated, waitingReason.used!).length > 0);
      break;
    case 'QUEUE_PARALLEL_LIMIT':
    case 'USER_PARALLEL_LIMIT':
      assert.ok(waitingReason.running! >= waitingReason.maximum!, text);
      break;
    case 'NODES_FULL':
      assert.ok(!says('FITS') && says('FULL'), text);
      assert.ok(
        waitingReason.missing!.some((value) => value > 0),
        text,
      );
      assert.deepEqual(
        difference(request.nodes.closest!.available, world.simulator.policy.nodeUsage(waitingReason.nodeId!)!.available),
        request.resource.map(() => 0),
      );
      break;
    case 'NO_NODE_LARGE_ENOUGH':
      assert.equal(counts.get('TOO_SMALL'), request.nodes.count, text);
      break;
    case 'OWN_MASTER_IN_THE_WAY':
      assert.ok(!says('FITS') && counts.get('FULL') === 1 && above(waitingReason.asked!, [], waitingReason.limit!), text);
      break;
    case 'NO_NODE_WITHOUT_LABEL':
    case 'NO_NODES':
    case 'NO_NODE_WITH_LABEL':
      assert.equal(Math.trunc(world.simulator.policy.clusterResource(waitingReason.partition)[0]!), 0);
      break;
    case 'NODES_BLACKLISTED':
      assert.ok(says('BLACKLISTED') && !says('FULL') && !says('FITS'), text);
      break;
    case 'NODES_UNSCHEDULABLE':
      assert.ok(says('UNSCHEDULABLE') && !says('FULL') && !says('FITS'), text);
      break;
    case 'NODES_RESERVED':
      assert.ok(says('RESERVED') && !says('FITS'), text);
      break;
    case 'PREFERRED_PLACES':
      assert.ok(says('ELSEWHERE') && !says('FITS'), text);
      break;
    case 'RESERVED':
      assert.ok(world.simulator.policy.usage(application.applicationId)!.reservedContainers > 0, text);
      break;
    case 'BEHIND_APPLICATION':
      assert.ok(world.simulator.policy.usage(waitingReason.other!)!.pendingContainers > 0, text);
      break;
    case 'BEHIND_REQUEST':
      assert.ok(world.pendingOf(application, waitingReason.other!) > 0, text);
      break;
    case 'NO_SHARE_OF_LABEL':
      assert.equal(world.queues[`${waitingReason.queue}.accessible-node-labels.gpu.capacity`], undefined);
      break;
    case 'LABEL_NOT_ACCESSIBLE':
      assert.notEqual(world.simulator.policy.checkLabels(application.queue, request.partition), undefined, text);
      break;
    case 'ROOM_KEPT_FOR_QUEUE':
      assert.ok(world.simulator.policy.applicationsOf(waitingReason.other!).length > 0, text);
      break;
    case 'NOT_YET_LOOKED_AT':
      assert.fail(`the policy is idle, yet nothing holds back ${JSON.stringify(request)} of ${application.applicationId}`);
  }
}

// ---- does removing it help?

/** Takes away what is named. Room is made generously: others that wait may take some of it. */
function remove(
  world: World,
  application: TestApplication,
  request: RequestExplanation,
  waitingReason: WaitingReason,
  times: number,
): boolean {
  const { simulator, queues } = world;
  const wish = application.requests.get(request.requestId);
  const room = () =>
    world.addNode(
      request.resource.map((value) => value * 4 ** Math.min(times + 1, 8)),
      waitingReason.partition ?? request.partition,
      wish && !wish.relaxLocality ? wish.nodes[0] : undefined,
    );
  const set = (changes: Record<string, string>): void => {
    if (Object.entries(changes).every(([key, value]) => queues[key] === value)) return room();
    Object.assign(queues, changes);
    simulator.policy.queueEditing!.replace(
      new Map(Object.entries(queues).map(([key, value]) => [`yarn.scheduler.capacity.${key}`, value])),
    );
  };
  const { queue } = waitingReason;
  const relax = (path: string, name: string, value?: string): boolean => {
    const settings = world.fair.get(path);
    const before = settings?.get(name);
    if (value !== undefined) world.fair.set(path, new Map(settings).set(name, value));
    else settings?.delete(name);
    if (before === value) room();
    else simulator.policy.reload!({ properties: new Map(), allocations: world.fairText() });
    return true;
  };
  if (world.kind === 'fair') {
    if (waitingReason.rule === 'QUEUE_MASTER_LIMIT') return relax(queue!, 'maxAMShare', '-1.0');
    if (waitingReason.rule === 'QUEUE_MAXIMUM' || waitingReason.rule === 'ANCESTOR_MAXIMUM') return relax(queue!, 'maxResources');
    if (waitingReason.rule === 'QUEUE_PARALLEL_LIMIT') return relax(queue!, 'maxRunningApps');
    if (waitingReason.rule === 'USER_PARALLEL_LIMIT') return relax('users', 'userMaxAppsDefault');
  }
  switch (waitingReason.rule) {
    case 'QUEUE_MASTER_LIMIT':
    case 'USER_MASTER_LIMIT':
      set({ [`${queue}.maximum-am-resource-percent`]: '1', [`${queue}.user-limit-factor`]: '1000' });
      return true;
    case 'QUEUE_MAXIMUM':
    case 'ANCESTOR_MAXIMUM':
      if (queue === 'root') room();
      else set({ [`${queue}.maximum-capacity`]: '100' });
      return true;
    case 'USER_LIMIT':
      set({ [`${queue}.user-limit-factor`]: '1000', [`${queue}.minimum-user-limit-percent`]: '100' });
      return true;
    case 'QUEUE_PARALLEL_LIMIT':
      set({ [`${queue}.max-parallel-apps`]: '1000' });
      return true;
    case 'USER_PARALLEL_LIMIT':
      set({ 'user.max-parallel-apps': '1000' });
      return true;
    case 'BEHIND_APPLICATION':
      simulator.finish(waitingReason.other!);
      return world.applications.delete(waitingReason.other!);
    case 'BEHIND_REQUEST':
      simulator.policy.updateRequests(application.attemptId, [], [waitingReason.other!]);
      return true;
    case 'ROOM_KEPT_FOR_QUEUE':
      for (const applicationId of simulator.policy.applicationsOf(waitingReason.other!)) {
        simulator.finish(applicationId);
        world.applications.delete(applicationId);
      }
      return true;
    case 'NODES_BLACKLISTED':
      simulator.policy.updateBlacklist(application.attemptId, [], [...application.blacklist]);
      application.blacklist.clear();
      return true;
    case 'NODES_UNSCHEDULABLE':
      for (const node of world.nodes.values()) world.setSchedulable(node, true);
      return true;
    case 'RESERVED':
      for (const [containerId, { nodeId }] of [...simulator.containers]) if (nodeId === waitingReason.nodeId) simulator.end(containerId);
      return true;
    case 'LABEL_NOT_ACCESSIBLE':
    case 'NO_SHARE_OF_LABEL':
      return false;
    case 'PREFERRED_PLACES':
      // It may exclude the very places it wants.
      simulator.policy.updateBlacklist(application.attemptId, [], [...application.blacklist]);
      application.blacklist.clear();
      room();
      return true;
    default:
      room();
      return true;
  }
}

export function served(world: World, application: TestApplication, requestId: string): string[] {
  const before = world.pendingOf(application, requestId);
  const steps: string[] = [];
  for (let times = 0; times < 40; times++) {
    const request = world.simulator.policy.explanation(application.applicationId)?.requests.find((other) => other.requestId === requestId);
    if (!request || request.count < before) return steps;
    const [waitingReason] = request.waitingReasons;
    steps.push(JSON.stringify(waitingReason));
    try {
      checkClaim(world, application, request, waitingReason);
    } catch (error) {
      throw new Error(`${(error as Error).message}\nafter:\n${steps.join('\n')}`, { cause: error });
    }
    if (!remove(world, application, request, waitingReason, times)) return steps;
    world.simulator.nowMs += 1000;
    world.simulator.run();
  }
  assert.fail(`${application.applicationId} ${requestId} was not served after:\n${steps.join('\n')}`);
}
