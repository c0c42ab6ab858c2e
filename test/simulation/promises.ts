// What was acknowledged holds, whatever died since: checked against the resource manager that runs now and its store.
import assert from 'node:assert/strict';
import { currentAttempt } from '../../src/resource-manager/applications/application.ts';
import { isCompletedState, isFinalState } from '../../src/resource-manager/applications/application-states.ts';
import type { Attempt } from '../../src/resource-manager/applications/attempt.ts';
import { isEndedAttempt } from '../../src/resource-manager/applications/attempt-states.ts';
import { masterExpired } from '../../src/resource-manager/applications/diagnostics.ts';
import type { Disk } from './disk.ts';
import { type ManagerProcess, masterExpiryMs } from './manager.ts';
import type { World } from './world.ts';

/** Everything that somebody was told is there. */
export function checkPromises(world: World): void {
  if (!world.manager.isAlive) return;
  checkApplications(world);
  checkChanges(world);
  checkNotes(world);
  checkRegistrations(world);
  checkFailedAttempts(world);
  checkSizes(world);
  checkOrders(world);
  checkAdministration(world);
}

/** P1, P2: what was accepted is there, and an end never changes. */
function checkApplications({ cluster, disk, ledger }: World): void {
  for (const id of ledger.submitted) assert.ok(cluster.view.application(id) ?? endKept(disk, id), `${id} was accepted and is lost (P2)`);
  for (const [id, state] of ledger.ended) {
    const kept = endKept(disk, id);
    assert.ok(kept, `the end of ${id} was acknowledged and is lost (P1)`);
    const live = cluster.view.application(id);
    assert.ok(!live || isFinalState[live.state], `${id} ended and is ${live?.state} again (P2)`);
    if (state !== undefined) assert.equal(kept, state, `the end of ${id} (P2)`);
    else ledger.ended.set(id, kept);
  }
  const both = disk.rows('SELECT id FROM live_applications WHERE id IN (SELECT id FROM finished_applications)');
  assert.deepEqual(both, [], 'kept as live and as ended');
}

/** The state with which an application is kept as ended. */
function endKept(disk: Disk, id: string): string | undefined {
  const [row] = disk.rows('SELECT state FROM finished_applications WHERE id = ?', id) as { state: string }[];
  return row?.state;
}

/** P1: queue, priority, lifetime, and the places that a master avoids. */
function checkChanges({ cluster, ledger, kind }: World): void {
  for (const [id, { priority, expiryMs, queue }] of ledger.changed) {
    const application = cluster.view.application(id);
    if (!application || isCompletedState[application.state]) continue;
    if (priority !== undefined) assert.equal(application.priority, priority, `the priority of ${id} (P1)`);
    if (expiryMs !== undefined) assert.equal(application.lifetimeExpiryMs, expiryMs, `the lifetime of ${id} (P1)`);
    // The fair scheduler's queues of reservations come and go, and applications move between them.
    if (queue !== undefined && !(kind === 'fair' && /^(root\.)?r\b/.test(queue)))
      assert.equal(application.queue, queue, `the queue of ${id} (P1)`);
  }
  for (const [attemptId, avoided] of ledger.avoided) {
    const found = cluster.view.attempt(attemptId);
    if (!avoided || !found || isEndedAttempt[found.attempt.state] || currentAttempt(found.application) !== found.attempt) continue;
    for (const name of avoided) assert.ok(found.attempt.blacklistedNodes.has(name), `${attemptId} avoids ${name} (P1)`);
  }
}

/** P1: who has registered is registered. */
function checkRegistrations({ cluster, ledger }: World): void {
  for (const attemptId of ledger.registered) {
    const found = cluster.view.attempt(attemptId);
    if (found) assert.ok(found.attempt.registered, `${attemptId} has registered (P1)`);
  }
}

/** P1: an attempt that was failed is over. */
function checkFailedAttempts({ cluster, ledger }: World): void {
  for (const attemptId of ledger.failedAttempts) {
    const found = cluster.view.attempt(attemptId);
    if (!found || isCompletedState[found.application.state]) continue;
    assert.ok(isEndedAttempt[found.attempt.state], `${attemptId} was failed and is ${found.attempt.state} (P1)`);
  }
}

/** P1: of which size and type their containers are. */
function checkSizes({ cluster, ledger }: World): void {
  for (const { sizes } of ledger.toldContainers) {
    for (const [id, { executionType, memoryMiB, wishes }] of sizes) {
      const container = cluster.view.container(id);
      if (!container || wishes > 0 || executionType === undefined) continue;
      assert.deepEqual([container.executionType, container.resource[0]], [executionType, memoryMiB], `type and size of ${id} (P1)`);
    }
  }
}

/** P1: notes of masters, each once. */
function checkNotes({ cluster, ledger, store, disk }: World): void {
  for (const [id, notes] of ledger.notes) {
    if (!cluster.view.application(id) || endKept(disk, id) !== undefined) continue;
    const kept = store.notesOf(id);
    for (const note of notes) {
      const times = kept.filter((one) => one === note).length;
      assert.equal(times, 1, `the note '${note}' is kept ${times} times (P1)`);
    }
  }
}

/** P1, P11: what administrators said of nodes. */
function checkOrders({ cluster, ledger, store }: World): void {
  for (const [id, memoryMiB] of ledger.sizes) {
    const node = cluster.view.node(id);
    if (memoryMiB !== undefined && node?.state === 'RUNNING') assert.equal(node.resource[0], memoryMiB, `the size of ${id} (P1)`);
  }
  for (const [id, drained] of ledger.drained) {
    const node = cluster.view.node(id);
    if (drained) assert.ok(node, `${id} was drained and is not known (P11)`);
    const isKept = store.nodeOrders.leavingNodes().some(({ nodeId, byHand }) => nodeId === id && byHand);
    if (drained === false) assert.ok(!isKept, `${id} was resumed (P11)`);
    if (drained) assert.notEqual(node?.state, 'RUNNING', `${id} was drained (P11)`);
  }
}

/** P1: labels, reservations and queues. */
function checkAdministration({ manager, ledger, clock }: World): void {
  const { labels, reservations, queueConfiguration } = manager;
  for (const [name, isThere] of ledger.labels)
    if (isThere !== undefined) assert.equal(labels.label(name) !== undefined, isThere, `the label ${name} (P1)`);
  for (const [id, label] of ledger.nodeLabels) if (label !== undefined) assert.equal(labels.labelOf(id), label, `the label of ${id} (P1)`);
  for (const [id, untilMs] of ledger.reservations) {
    if (untilMs === undefined || (untilMs > 0 && untilMs < clock.now())) continue;
    assert.equal(reservations?.reservation(id) !== undefined, untilMs > 0, `the reservation ${id} (P1)`);
  }
  assert.ok(queueConfiguration.version >= ledger.queueVersion, `version ${ledger.queueVersion} of the queues (P1)`);
}

/** P8: a node whose connection is there is not lost. Made for one history; to be called after each event. */
export function nodesStay({ ledger }: World): (world: World) => void {
  const lost = new Set<string>();
  return ({ manager, nodes }) => {
    if (!manager.isAlive) return;
    for (const { id, link } of nodes) {
      const isLost = manager.cluster.view.node(id)?.state === 'LOST';
      if (isLost && !lost.has(id) && link.isUp) ledger.violated(`${id} is lost, and it is connected (P8)`);
      if (isLost) lost.add(id);
      else lost.delete(id);
    }
  };
}

/** P8: a master that spoke is not given up for its silence. */
export function checkExpiry({ ledger, clock }: World, { heardMs }: ManagerProcess, { id, diagnostics }: Attempt): void {
  if (diagnostics !== masterExpired(id)) return;
  ledger.count('a master expired');
  const silentMs = clock.steadyMs() - (heardMs.get(id) ?? Number.NEGATIVE_INFINITY);
  if (silentMs < masterExpiryMs) ledger.violated(`${id} is given up, and its master spoke ${silentMs} ms ago (P8)`);
}

/** Of which states it is awaited that the master speaks or goes. */
const isAwaited: ReadonlySet<string> = new Set(['LAUNCHED', 'RUNNING', 'FINISHING']);
/** From a start on a master may be awaited anew, once, when its node is there again. */
const longestSilenceMs = 2 * masterExpiryMs;

/** P8: a silent master is given up. Made for one history; to be called now and then. */
export function silenceEnds({ ledger, clock }: World): (world: World) => void {
  let since = new Map<string, number>();
  return ({ manager }) => {
    const nowMs = clock.steadyMs();
    const still = new Map<string, number>();
    for (const application of manager.isAlive ? manager.cluster.view.applications() : []) {
      const { id, state } = currentAttempt(application) ?? { id: '', state: 'NEW' };
      if (!isAwaited.has(state)) continue;
      const awaited = `${manager.epoch} ${id} ${state}`;
      const sinceMs = since.get(awaited) ?? nowMs;
      still.set(awaited, sinceMs);
      const silentMs = nowMs - Math.max(sinceMs, state === 'FINISHING' ? 0 : (manager.heardMs.get(id) ?? 0));
      if (silentMs > longestSilenceMs) ledger.violated(`${id} is ${state}, and its master is silent for ${silentMs} ms (P8)`);
    }
    since = still;
  };
}
