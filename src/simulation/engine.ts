// The loop of events: jobs arrive, request and get containers from a real scheduling policy, their tasks take their time, virtually.

import { formatApplicationId, formatAttemptId, formatContainerId, parseApplicationId, parseAttemptId } from '../model/ids.ts';
import type { Resource, ResourceTypes } from '../model/resource.ts';
import { amountText, wordsOf } from '../scheduler/explain/explanation-words.ts';
import type { Decision, SchedulingPolicy } from '../scheduler/policy.ts';
import { EventQueue } from './event-queue.ts';
import type { Parties, SimulationReport, Statistics } from './statistics.ts';
import type { TaskGroup, Workload, WorkloadJob } from './workload.ts';

/** Where virtual time begins: any moment long after 1970. */
export const startMs = 1_700_000_000_000;

type Event =
  | { readonly kind: 'arrival'; readonly job: WorkloadJob }
  | { readonly kind: 'end'; readonly containerId: string }
  | { readonly kind: 'ask'; readonly run: Run; readonly stage: number; readonly group: Group }
  | { readonly kind: 'tick' };

interface Group {
  readonly requestId: string;
  readonly tasks: TaskGroup;
  /** Tasks that have no container; the last one goes first. */
  readonly left: { readonly durationMs: number; askedMs: number }[];
  asked: boolean;
}

/** One job under way. */
interface Run extends Parties {
  readonly job: WorkloadJob;
  readonly applicationId: string;
  readonly arrivedMs: number;
  attempt: number;
  attemptId: string;
  masterAskedMs: number;
  masterRuns: boolean;
  stage: number;
  groups: Group[];
  readonly held: Set<string>;
  /** Tasks of the stage that have not ended. */
  unfinished: number;
  lastContainer: number;
}

interface Held {
  readonly run: Run;
  readonly group: Group | undefined;
  readonly durationMs: number;
  readonly resource: Resource;
  readonly fromMs: number;
}

const decisionsPerSlice = 1000;
/** So much time in which the policy checks again and again and nothing happens means that nothing will: longer than preemption waits. */
const patienceMs = 15 * 60_000;
const mostStuckNamed = 20;

/** Runs a workload on a policy. `now` of the policy must read `nowMs`. */
export class Engine {
  nowMs = startMs;
  readonly #workload: Workload;
  readonly #statistics: Statistics;
  readonly #types: ResourceTypes;
  #policy!: SchedulingPolicy;
  readonly #events = new EventQueue<Event>();
  readonly #runs = new Map<string, Run>();
  readonly #byAttempt = new Map<string, Run>();
  readonly #held = new Map<string, Held>();
  #sequence = 0;
  #tickMs = Number.POSITIVE_INFINITY;
  #lastHappenedMs = startMs;

  constructor(workload: Workload, statistics: Statistics, types: ResourceTypes) {
    this.#workload = workload;
    this.#statistics = statistics;
    this.#types = types;
  }

  /** Until nothing happens any more. */
  run(policy: SchedulingPolicy): SimulationReport['stuck'] {
    this.#policy = policy;
    policy.labels?.setPartitions(this.#workload.labels);
    for (const { host, rack, resource, label } of this.#workload.nodes)
      policy.addNode({ nodeId: `${host}:45454`, host, rack, resource, label });
    for (const job of this.#workload.jobs) this.#events.put(startMs + job.arrivalMs, { kind: 'arrival', job });
    while (this.#events.size > 0 && this.nowMs - this.#lastHappenedMs < patienceMs) {
      const atMs = this.#events.nextMs!;
      this.#statistics.advance(atMs - startMs);
      this.nowMs = atMs;
      let onlyTick = true;
      while (this.#events.nextMs === atMs) {
        const event = this.#events.take()!;
        if (event.kind !== 'tick') onlyTick = false;
        this.#happen(event);
      }
      const decided = this.#schedule();
      if (!onlyTick || decided || this.#events.size > 0) this.#lastHappenedMs = this.nowMs;
      this.#putTick();
    }
    return this.#stuck();
  }

  #happen(event: Event): void {
    switch (event.kind) {
      case 'arrival':
        this.#arrive(event.job);
        break;
      case 'end':
        this.#end(event.containerId);
        break;
      case 'ask':
        if (event.run.stage === event.stage && !event.group.asked) this.#request(event.run, event.group, true);
        break;
      case 'tick':
        if (this.nowMs >= this.#tickMs) this.#tickMs = Number.POSITIVE_INFINITY;
    }
  }

  // ---- jobs

  #arrive(job: WorkloadJob): void {
    const id = { clusterTimestamp: startMs, sequence: ++this.#sequence };
    const applicationId = formatApplicationId(id);
    const { user } = job;
    const refuse = (reason: string) => this.#statistics.refused(reason.replaceAll(applicationId, '(id)').trim());
    const placement = this.#policy.place({ applicationId, user, queue: job.queue, name: job.name, tags: [] });
    if ('rejected' in placement) return refuse(placement.rejected);
    const wrongLabel = this.#policy.checkLabels(placement.queue, job.label);
    if (wrongLabel !== undefined) return refuse(wrongLabel);
    const tooLarge = this.#tooLarge(job, placement.queue);
    if (tooLarge !== undefined) return refuse(tooLarge);
    const admission = this.#policy.addApplication({
      applicationId,
      user,
      queue: placement.queue,
      priority: job.priority,
      submitTimeMs: this.nowMs,
      unmanaged: false,
      labelExpression: job.label,
      ...(placement.mapped !== undefined && { mapped: placement.mapped }),
    });
    if (!admission.accepted) return refuse(admission.rejected);
    const run: Run = {
      job,
      applicationId,
      user,
      queue: admission.queue,
      arrivedMs: this.nowMs,
      attempt: 0,
      attemptId: '',
      masterAskedMs: 0,
      masterRuns: false,
      stage: -1,
      groups: [],
      held: new Set(),
      unfinished: 0,
      lastContainer: 0,
    };
    this.#runs.set(applicationId, run);
    this.#statistics.submitted(run);
    this.#beginAttempt(run);
  }

  /** As the resource manager refuses requests above the largest container. */
  #tooLarge(job: WorkloadJob, queue: string): string | undefined {
    const most = this.#policy.maximumAllocation(queue);
    const sizes = [job.master, ...job.stages.flatMap((stage) => stage.map(({ resource }) => resource))];
    const size = sizes.find((resource) => resource.some((value, i) => value > (most[i] ?? Number.POSITIVE_INFINITY)));
    return size && `a container of ${amountText(size, this.#types)} is larger than the largest allowed, ${amountText(most, this.#types)}`;
  }

  #beginAttempt(run: Run): void {
    const { clusterTimestamp, sequence } = parseApplicationId(run.applicationId);
    run.attemptId = formatAttemptId({ clusterTimestamp, sequence, attempt: ++run.attempt });
    run.lastContainer = 0;
    run.masterAskedMs = this.nowMs;
    this.#byAttempt.set(run.attemptId, run);
    const masterRequest = {
      requestId: 'master',
      priority: 0,
      resource: run.job.master,
      count: 1,
      ...(run.job.label !== undefined && { labelExpression: run.job.label }),
    };
    this.#statistics.asked(run, 1);
    this.#policy.addAttempt({ applicationId: run.applicationId, attemptId: run.attemptId, masterRequest });
  }

  /** The next stage, or the end of the job. */
  #nextStage(run: Run): void {
    run.stage++;
    const stage = run.job.stages[run.stage];
    if (!stage) return this.#finish(run);
    run.groups = stage.map((tasks, i) => ({
      requestId: `${run.stage + 1}.${i + 1} ${tasks.name}`,
      tasks,
      left: tasks.durationsMs.map((durationMs) => ({ durationMs, askedMs: this.nowMs })).reverse(),
      asked: false,
    }));
    run.unfinished = run.groups.reduce((sum, { left }) => sum + left.length, 0);
    for (const group of run.groups) {
      if (group.tasks.delayMs === 0) this.#request(run, group, true);
      else this.#events.put(this.nowMs + group.tasks.delayMs, { kind: 'ask', run, stage: run.stage, group });
    }
  }

  #request(run: Run, group: Group, isNew: boolean): void {
    const { hosts, racks, relaxLocality, label, priority, resource } = group.tasks;
    if (!run.masterRuns || group.left.length === 0) return;
    group.asked = true;
    if (isNew) {
      for (const task of group.left) task.askedMs = this.nowMs;
      this.#statistics.asked(run, group.left.length);
    }
    this.#policy.updateRequests(
      run.attemptId,
      [
        {
          requestId: group.requestId,
          priority,
          resource,
          count: group.left.length,
          nodes: hosts,
          racks,
          relaxLocality,
          ...((label ?? run.job.label) !== undefined && { labelExpression: label ?? run.job.label! }),
        },
      ],
      [],
    );
  }

  #finish(run: Run): void {
    for (const containerId of [...run.held]) this.#release(containerId);
    this.#policy.removeAttempt(run.attemptId, false);
    this.#policy.removeApplication(run.applicationId);
    this.#byAttempt.delete(run.attemptId);
    this.#runs.delete(run.applicationId);
    this.#statistics.finished(run, this.nowMs - run.arrivedMs);
  }

  // ---- containers

  #end(containerId: string): void {
    const held = this.#held.get(containerId);
    if (!held) return;
    this.#release(containerId);
    if (held.group && --held.run.unfinished === 0) this.#nextStage(held.run);
  }

  #release(containerId: string): Held | undefined {
    const held = this.#held.get(containerId);
    if (!held) return undefined;
    this.#held.delete(containerId);
    held.run.held.delete(containerId);
    this.#statistics.released(held.run, held.resource);
    this.#policy.containerEnded(containerId);
    return held;
  }

  #schedule(): boolean {
    let any = false;
    for (let idle = 0; idle < 2; ) {
      const decisions = this.#policy.schedule(decisionsPerSlice, (attemptId) => this.#nextContainerId(attemptId));
      for (const decision of decisions) this.#commit(decision);
      if (decisions.length > 0) any = true;
      else idle++;
      if (!this.#policy.hasWork()) break;
    }
    return any;
  }

  #commit(decision: Decision): void {
    if (decision.kind === 'preempt') return this.#preempt(decision.containerId);
    if (decision.kind !== 'allocate') return;
    const run = this.#byAttempt.get(decision.attemptId);
    if (!run) return this.#policy.containerEnded(decision.containerId);
    const { containerId, resource } = decision;
    if (decision.isMaster) {
      this.#hold(containerId, { run, group: undefined, durationMs: 0, resource, fromMs: this.nowMs });
      this.#statistics.placed(run, resource, true, this.nowMs - run.masterAskedMs);
      run.masterRuns = true;
      if (run.stage < 0) this.#nextStage(run);
      else for (const group of run.groups) this.#request(run, group, !group.asked);
      return;
    }
    const group = run.groups.find(({ requestId }) => requestId === decision.requestId);
    const task = group?.left.pop();
    if (!group || !task) return this.#policy.containerEnded(containerId);
    this.#hold(containerId, { run, group, durationMs: task.durationMs, resource, fromMs: this.nowMs });
    this.#statistics.placed(run, resource, false, this.nowMs - task.askedMs);
    this.#events.put(this.nowMs + task.durationMs, { kind: 'end', containerId });
  }

  #hold(containerId: string, held: Held): void {
    this.#held.set(containerId, held);
    held.run.held.add(containerId);
  }

  /** A task is asked for again; a master takes its tasks with it, and comes back in a new attempt that keeps what has ended. */
  #preempt(containerId: string): void {
    const held = this.#held.get(containerId);
    if (!held) return;
    const { run } = held;
    const isMaster = held.group === undefined;
    this.#statistics.preempted(run, isMaster, this.nowMs - held.fromMs);
    const lost = isMaster ? [...run.held] : [containerId];
    const again = new Map<Group, number>();
    for (const each of lost) {
      const { group, durationMs } = this.#release(each)!;
      if (!group) continue;
      group.left.push({ durationMs, askedMs: this.nowMs });
      again.set(group, (again.get(group) ?? 0) + 1);
    }
    for (const count of again.values()) this.#statistics.asked(run, count);
    if (isMaster) {
      run.masterRuns = false;
      this.#policy.removeAttempt(run.attemptId, false);
      this.#byAttempt.delete(run.attemptId);
      this.#beginAttempt(run);
      return;
    }
    for (const group of again.keys()) this.#request(run, group, false);
  }

  #nextContainerId(attemptId: string): string {
    const run = this.#byAttempt.get(attemptId);
    const number = run ? ++run.lastContainer : 1;
    return formatContainerId({ ...parseAttemptId(attemptId), number, epoch: 0 });
  }

  /** The policy wants to be asked again at a time of its own (preemption), as long as a request waits. */
  #putTick(): void {
    const deadlineMs = this.#statistics.pending === 0 ? undefined : this.#policy.nextDeadlineMs();
    if (deadlineMs === undefined || Math.max(this.nowMs + 1, deadlineMs) >= this.#tickMs) return;
    this.#tickMs = Math.max(this.nowMs + 1, deadlineMs);
    this.#events.put(this.#tickMs, { kind: 'tick' });
  }

  #stuck(): SimulationReport['stuck'] {
    return [...this.#runs.values()].slice(0, mostStuckNamed).map((run) => {
      const explanation = this.#policy.explanation(run.applicationId);
      const waitingReason = explanation?.application ??
        explanation?.requests[0]?.waitingReasons[0] ?? { rule: 'NOT_YET_LOOKED_AT' as const };
      return { job: run.job.name, queue: run.queue, ...wordsOf(waitingReason, this.#types) };
    });
  }
}
