import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { seededRandom } from '../../lib/random.ts';
import { publicApplicationStates } from '../../model/application-states.ts';
import { type Application, currentAttempt, publicState } from '../applications/application.ts';
import { applicationStates } from '../applications/application-states.ts';
import type { Attempt } from '../applications/attempt.ts';
import type { Container } from '../applications/container.ts';
import type { Node } from '../nodes/node.ts';
import { nodeStates } from '../nodes/node-states.ts';
import { aContainer, aNode, anApplication, anAttempt, applicationIdOf } from '../test-support/builders.ts';
import { comparePlaces } from './application-order.ts';
import { ClusterState, StateBroken } from './state.ts';

const attemptOf = (application: Application, number: number): Attempt =>
  anAttempt({
    id: `${application.id.replace('application', 'appattempt')}_${String(number).padStart(6, '0')}`,
    applicationId: application.id,
    number,
  });

/** Everything that is listed in one index is listed in all others that concern it. */
function check(state: ClusterState): void {
  const [applications, nodes, containers] = [[...state.applications()], [...state.nodes()], [...state.containers()]];
  assert.deepEqual([applications.length, nodes.length, containers.length], [state.applicationCount, state.nodeCount, state.containerCount]);
  assert.equal(state.hostCount, new Set(nodes.map(({ host }) => host)).size);
  checkTotals(state, nodes);
  const held = new Map<string, Attempt>();
  for (const application of applications) {
    assert.equal(state.application(application.id), application);
    for (const attempt of application.attempts) {
      assert.deepEqual(state.attempt(attempt.id), { application, attempt });
      for (const id of attempt.containers.keys()) {
        assert.ok(!held.has(id), `${id} is held twice`);
        held.set(id, attempt);
      }
    }
  }
  for (const container of containers) {
    assert.equal(state.container(container.id), container);
    assert.equal(held.get(container.id)?.containers.get(container.id), container);
    const node = state.node(container.nodeId);
    assert.ok(node?.containers.has(container.id) && node.applications.has(container.applicationId), container.id);
  }
  assert.equal(held.size, containers.length);
  assert.deepEqual(nodes.flatMap((node) => state.containersOn(node).map(({ id }) => id)).sort(), containers.map(({ id }) => id).sort());
  const placed = new Set(nodes.flatMap((node) => [...node.applications]));
  const { attempts, placed: placedCount, waiting } = state.sizes();
  assert.equal(
    attempts,
    applications.reduce((sum, application) => sum + application.attempts.length, 0),
  );
  assert.equal(placedCount, placed.size);
  const order = ({ startedMs, id }: Application) => [startedMs, id] as const;
  const listed = [...state.applicationsBy.select({})];
  assert.deepEqual(
    listed,
    [...applications].sort((a, b) => comparePlaces(order(a), order(b))),
  );
  const ofState = (name: string) => listed.filter((application) => publicState(application) === name);
  for (const name of publicApplicationStates) {
    const found = [...state.applicationsBy.select({ states: new Set([name]) })].filter((each) => publicState(each) === name);
    assert.deepEqual(found, ofState(name));
  }
  assert.equal(waiting, applications.filter((application) => state.isWaiting(application)).length);
}

/** The totals of nodes are those that counting gives. */
function checkTotals({ nodeTotals }: ClusterState, nodes: readonly Node[]): void {
  for (const name of nodeStates) assert.equal(nodeTotals.counts[name], nodes.filter(({ state }) => state === name).length, name);
  const running = nodes.flatMap(({ state, usage }) => (state === 'RUNNING' ? [usage.node] : []));
  assert.equal(
    nodeTotals.usedMemoryMiB,
    running.reduce((sum, { physicalMemoryMiB }) => sum + physicalMemoryMiB, 0),
  );
  const cores = running.reduce((sum, { cpuCores }) => sum + cpuCores, 0);
  assert.ok(Math.abs(nodeTotals.usedCores - cores) < 1e-4, `${nodeTotals.usedCores} cores, not ${cores}`);
}

/** One change after the other, as lifecycles make them. */
class RandomChanges {
  readonly state = new ClusterState();
  readonly #random;
  #sequence = 0;

  constructor(seed: number) {
    this.#random = seededRandom(seed);
  }

  #pick<T>(of: Iterable<T>): T | undefined {
    const all = [...of];
    return all[this.#random.int(Math.max(1, all.length))];
  }

  step(): void {
    const { state } = this;
    const application = this.#pick(state.applications());
    const node = this.#pick(state.nodes());
    const attempt = application && currentAttempt(application);
    const changes: (() => void)[] = [
      () => state.addNode(aNode(`n${++this.#sequence % 20}:${this.#sequence}`)),
      () => state.addApplication(anApplication({ id: applicationIdOf(++this.#sequence), attempts: [], startedMs: this.#random.int(50) })),
      () => application && this.#nextAttempt(application),
      () => application && state.enterState(application, this.#pick(applicationStates)!),
      () => application && state.setQueue(application, this.#pick(['root.a', 'root.a.b', 'root.c'])!),
      () => application && state.setFinished(application, this.#random.int(3)),
      () => application && state.setWaiting(application, this.#random.int(2) === 0),
      () => node && application && state.place(node, application.id),
      () => node && this.#loseNode(node),
      () => node && state.enterNodeState(node, this.#pick(nodeStates)!),
      () => node && state.setNodeUsage(node, { ...node.usage, node: this.#usage() }),
      () => application && this.#endApplication(application),
      ...Array.from({ length: 4 }, () => () => node && attempt && this.#give(node, attempt)),
      ...Array.from({ length: 2 }, () => () => this.#end(this.#pick(state.containers()))),
    ];
    this.#pick(changes)?.();
  }

  #usage(): Node['usage']['node'] {
    return { physicalMemoryMiB: this.#random.int(5000), virtualMemoryMiB: 0, cpuCores: this.#random.int(1000) / 300 };
  }

  #nextAttempt(application: Application): void {
    const before = currentAttempt(application);
    const attempt = attemptOf(application, (before?.number ?? 0) + 1);
    this.state.addAttempt(application, attempt);
    if (before && this.#random.int(2) === 0) this.state.passContainers(before, attempt);
    else if (attempt.containers.size === 0 && this.#random.int(4) === 0) this.state.removeLastAttempt(application);
  }

  #give(node: Node, { id: attemptId, applicationId }: Attempt): void {
    const attempt = this.state.attempt(attemptId)!.attempt;
    const id = `container_${++this.#sequence}`;
    this.state.addContainer(attempt, aContainer({ id, applicationId, attemptId, nodeId: node.id }));
  }

  #end(container: Container | undefined): void {
    if (!container) return;
    container.state = 'COMPLETED';
    const holder = this.state.removeContainer(container);
    assert.equal(holder?.application.id, container.applicationId);
    assert.equal(this.state.container(container.id), undefined);
  }

  #loseNode(node: Node): void {
    for (const container of this.state.containersOn(node)) this.#end(container);
    this.state.leavePlaces(node);
    if (this.#random.int(2) === 0) this.state.removeNode(node);
  }

  #endApplication(application: Application): void {
    for (const attempt of application.attempts) for (const container of [...attempt.containers.values()]) this.#end(container);
    this.state.setWaiting(application, false);
    for (const node of this.state.takePlaces(application.id)) assert.ok(!node.applications.has(application.id));
    this.state.removeApplication(application);
    assert.equal(this.state.application(application.id), undefined);
  }
}

describe('the state of the cluster', () => {
  it('keeps its indices consistent whatever comes, goes and moves', () => {
    for (let seed = 1; seed <= 30; seed++) {
      const changes = new RandomChanges(seed);
      for (let step = 0; step < 200; step++) {
        changes.step();
        check(changes.state);
      }
    }
  });

  const onNode = () => {
    const state = new ClusterState();
    const attempt = anAttempt();
    const application = anApplication({ attempts: [attempt] });
    state.addNode(aNode());
    state.addApplication(application);
    return { state, application, attempt };
  };

  it('takes nothing in twice', () => {
    const { state, application, attempt } = onNode();
    state.addContainer(attempt, aContainer());
    assert.throws(() => state.addContainer(attempt, aContainer()), StateBroken);
    assert.throws(() => state.addApplication(application), StateBroken);
    assert.throws(() => state.addAttempt(application, anAttempt()), StateBroken);
    assert.throws(() => state.addNode(aNode()), StateBroken);
  });

  it('takes no container of a node or an attempt that it does not know', () => {
    const { state, attempt } = onNode();
    assert.throws(() => state.addContainer(attempt, aContainer({ nodeId: 'other:1' })), /is on other:1, which is not known/);
    assert.throws(() => state.addContainer(anAttempt({ id: 'appattempt_1_0001_000009' }), aContainer()), StateBroken);
    assert.equal(state.containerCount, 0);
  });

  it('lets go of nothing that still holds something', () => {
    const { state, application, attempt } = onNode();
    const container = aContainer();
    state.addContainer(attempt, container);
    assert.throws(() => state.removeContainer(container), /is removed while it is live/);
    assert.throws(() => state.removeApplication(application), /is forgotten with containers/);
    assert.throws(() => state.removeNode(state.node('n1:45454')!), /is forgotten and holds something/);
    check(state);
  });
});
