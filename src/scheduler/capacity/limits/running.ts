// Which applications may run: held back by max-parallel-apps, waiting for their master's turn, active; moved, ended.

import type { Decision } from '../../policy.ts';
import type { Ledger } from '../../state/ledger.ts';
import type { SchedulerNode } from '../../state/model.ts';
import type { CapacityApplication } from '../application.ts';
import type { Parked } from '../cycle/parked.ts';
import type { Change } from '../cycle/parked-reasons.ts';
import type { CapacityQueue } from '../queues/queue.ts';
import type { QueueTree } from '../queues/tree.ts';
import { clusterOptions } from '../settings/cluster-options.ts';
import { unlimited } from '../settings/queue-options.ts';
import { type ActivationContext, activate, addWaiting, chargeMaster, refuseInEmptyCluster } from './activation.ts';
import { forget } from './admission.ts';
import type { Reach } from './reach.ts';
import type { ParallelRefusal } from './refusal.ts';

export class Running {
  readonly #tree: QueueTree;
  readonly #ledger: Ledger<CapacityApplication>;
  readonly #parked: Parked;
  readonly #reach: Reach;
  #heldBack = 0;
  #decisions: Decision[] = [];

  constructor(tree: QueueTree, ledger: Ledger<CapacityApplication>, parked: Parked, reach: Reach) {
    this.#tree = tree;
    this.#ledger = ledger;
    this.#parked = parked;
    this.#reach = reach;
  }

  /** There are decisions of the kind `activated` that were not taken. */
  get hasDecisions(): boolean {
    return this.#decisions.length > 0;
  }

  takeDecisions(): Decision[] {
    const decisions = this.#decisions;
    this.#decisions = [];
    return decisions;
  }

  /** After the change, activates the applications that the shares for masters allow. `only`: nothing was freed, so nothing else can have become eligible. */
  activate(queue: CapacityQueue, change: Change, only?: CapacityApplication): void {
    if (this.#parked.ends('masterLimit', change)) activate(queue, this.#activation, only);
  }

  /** What activation works with; sizes are those of the moment. */
  get #activation(): ActivationContext {
    return {
      sizing: this.#tree.sizing,
      clusterTotal: this.#ledger.nodes.total,
      activated: (application) => this.#activated(application),
    };
  }

  /** Counts the application as waiting unless max-parallel-apps holds it back; one that ran before it was moved runs on. */
  begin(application: CapacityApplication, ranBefore = false): void {
    const { queue } = application;
    this.#reach.look();
    if (!ranBefore && this.refusesToRun(application)) {
      queue.leaf!.heldBack.push(application);
      this.#heldBack++;
      return;
    }
    queue.leaf!.users.countWaiting();
    application.isRunnable = true;
    application.owner.waitingApplications++;
    queue.leaf!.users.countsChanged = true;
    for (let at: CapacityQueue | undefined = queue; at; at = at.parent) at.runningApplications++;
    addWaiting(queue, application);
    if (!refuseInEmptyCluster(queue, application, this.#activation)) this.activate(queue, 'applicationBegan', application);
  }

  /** The attempt is over: its place in the limits is free. */
  retire(application: CapacityApplication): void {
    const { queue } = application;
    const leaf = queue.leaf!;
    this.#parked.forget(application);
    leaf.users.countWaiting();
    if (remove(leaf.heldBack, application)) this.#heldBack--;
    application.refusal = undefined;
    if (application.isActive) {
      leaf.active.delete(application);
      application.owner.activeApplications--;
      chargeMaster(queue, application, application.masterPartition, -1);
    } else if (application.isRunnable) {
      application.owner.waitingApplications--;
      remove(leaf.waiting, application);
    }
    leaf.users.restart(application.owner);
    const ran = application.isRunnable;
    application.isActive = false;
    application.isRunnable = false;
    leaf.users.changed();
    leaf.users.countsChanged = true;
    if (ran) {
      for (let at: CapacityQueue | undefined = queue; at; at = at.parent) at.runningApplications--;
      this.letNextRun('applicationEnded');
    }
    this.activate(queue, 'applicationEnded');
  }

  /** With everything it holds and wants. The target may take it: that was asked before. */
  move(application: CapacityApplication, target: CapacityQueue): void {
    const { attempt, isRunnable } = application;
    this.#reach.look();
    this.#ledger.rebook(application, () => {
      if (attempt) {
        application.attempt = undefined;
        this.retire(application);
        application.attempt = attempt;
      }
      forget(application);
      application.queue = target;
      application.owner = target.leaf!.users.obtain(application.user, target.settings);
      application.owner.applications++;
      target.leaf!.applications.add(application);
      for (let at: CapacityQueue | undefined = target; at; at = at.parent) at.applicationCount++;
    });
    if (attempt) this.begin(application, isRunnable);
  }

  /** The node is in another partition now, and with it the masters that run there. */
  relabelled(node: SchedulerNode): void {
    for (const { isMaster, attemptId, application: holder } of node.containers) {
      const application = holder as CapacityApplication;
      if (!isMaster || application.attempt?.attemptId !== attemptId) continue;
      if (application.isActive) chargeMaster(application.queue, application, application.masterPartition, -1);
      application.masterPartition = node.partition;
      if (application.isActive) chargeMaster(application.queue, application, application.masterPartition, 1);
    }
  }

  /** The max-parallel-apps of a queue (the nearest) or of the user that lets no more applications run. */
  refusesToRun(application: CapacityApplication): ParallelRefusal | undefined {
    for (let at: CapacityQueue | undefined = application.queue; at; at = at.parent) {
      const { maximumParallelApplications: maximum } = at.settings;
      if (at.runningApplications >= maximum) return { kind: 'parallelLimit', queue: at, running: at.runningApplications, maximum };
    }
    const { properties } = this.#tree;
    const { user } = application;
    const forAll = properties.read(clusterOptions.userParallelApplications);
    const most = properties.read(clusterOptions.namedUserParallelApplications, { user }, forAll);
    if (most === unlimited) return undefined;
    let running = 0;
    for (const other of this.#ledger.applications.values()) if (other.user === application.user && other.isRunnable) running++;
    return running < most ? undefined : { kind: 'parallelLimit', queue: undefined, running, maximum: most };
  }

  /** The applications that max-parallel-apps held back and holds back no longer begin. */
  letNextRun(change: Change): void {
    if (this.#heldBack === 0 || !this.#parked.ends('parallelLimit', change)) return;
    for (const queue of this.#tree.leaves()) {
      const { heldBack } = queue.leaf!;
      for (const application of [...heldBack]) {
        if (this.refusesToRun(application)) continue;
        remove(heldBack, application);
        this.#heldBack--;
        this.begin(application);
      }
    }
  }

  #activated(application: CapacityApplication): void {
    application.refusal = undefined;
    const { attempt } = application;
    if (!attempt) return;
    for (const { partition } of attempt.requests.inOrder()) this.#parked.changed('requestChanged', application, partition);
    this.#decisions.push({ kind: 'activated', applicationId: application.applicationId, attemptId: attempt.attemptId });
  }
}

function remove<T>(list: T[], item: T): boolean {
  const place = list.indexOf(item);
  if (place >= 0) list.splice(place, 1);
  return place >= 0;
}
