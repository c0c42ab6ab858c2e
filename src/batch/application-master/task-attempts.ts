// The attempts at a job's tasks: gives tasks attempts, attempts containers, hears of their ends and tries again. The only writer of tasks and attempts.
// What becomes of the job by it is the job's own business (job.ts).
import type { Clock } from '../../lib/clock.ts';
import { killedTaskStatuses } from '../../model/exit-status.ts';
import type { Counters } from '../counters/counters.ts';
import { jobCounterGroup } from '../counters/names.ts';
import type { FailureReport, MapEvent, StatusReport, TaskAssignment } from '../tasks/umbilical.ts';
import { assignmentOf } from './assignment.ts';
import type { AssignedContainer, Attempt } from './attempt.ts';
import { fetchFailureText, tooManyFetchFailures } from './fetch-failures.ts';
import * as history from './history-events.ts';
import { countAttemptEnd, countLaunch, countPlace, localityOf } from './job-accounting.ts';
import type { JobPorts } from './job-ports.ts';
import type { JobRecord } from './job-record.ts';
import type { JobRules } from './job-rules.ts';
import type { JobInternalState } from './job-states.ts';
import { type RecoveredTask, takeUp } from './recovery.ts';
import { ReduceAdmission } from './reduce-admission.ts';
import { preemptedForMaps, reduceToPreempt } from './reduce-preemption.ts';
import { RunningLimits } from './running-limits.ts';
import { silenceOf } from './silence.ts';
import type { Task } from './task.ts';
import type { TaskSet } from './task-set.ts';

/** Priorities of container requests, lower = earlier (RMContainerAllocator). */
const requestPriorities = { FAILED_MAP: 5, REDUCE: 10, MAP: 20 } as const;

/** The job as its attempts need it. */
export interface AttemptedJob extends JobRecord {
  readonly internalState: JobInternalState;
  readonly ended: boolean;
  readonly jobCounters: Counters;
  readonly diagnostics: string[];
}

/** What the attempts of a job need. */
export interface TaskAttemptsOptions {
  readonly job: AttemptedJob;
  readonly set: TaskSet;
  readonly clock: Clock;
  readonly ports: JobPorts;
  /** Tasks or containers have ended: the job may be over. */
  readonly changed: () => void;
}

/** The attempts at the tasks of a job. */
export class TaskAttempts {
  /** What became of outputs of maps, in order, for the reduces. */
  readonly mapEvents: MapEvent[] = [];
  readonly #job: AttemptedJob;
  readonly #rules: JobRules;
  readonly #set: TaskSet;
  readonly #clock: Clock;
  readonly #ports: JobPorts;
  readonly #changed: () => void;
  readonly #byContainer = new Map<string, Attempt>();
  readonly #admission: ReduceAdmission;
  readonly #limits: RunningLimits;

  constructor({ job, set, clock, ports, changed }: TaskAttemptsOptions) {
    this.#job = job;
    this.#rules = job.rules;
    this.#set = set;
    this.#clock = clock;
    this.#ports = ports;
    this.#changed = changed;
    this.#admission = new ReduceAdmission(job.rules);
    this.#limits = new RunningLimits(job.rules);
  }

  /** Whether a container is there whose end was not heard of yet. */
  get haveContainers(): boolean {
    return this.#byContainer.size > 0;
  }

  /** Lets a task be as complete as an earlier master left it. */
  recover(taskId: string, recovered: RecoveredTask): void {
    const task = this.#set.find(taskId);
    if (task === undefined) return;
    const attempt = takeUp(task, recovered);
    for (const event of history.recovered(task, attempt, this.#rules.shufflePort)) this.#ports.history(event);
    countPlace(this.#job.jobCounters, attempt, task);
    countLaunch(this.#job.jobCounters, attempt, task, this.#job.uberized);
    countAttemptEnd(this.#job.jobCounters, attempt, this.#job, 'SUCCEEDED');
    if (task.kind === 'MAP') this.#tellReduces(attempt, 'SUCCEEDED');
  }

  /** Begins all tasks that are not recovered. */
  scheduleAll(): void {
    for (const task of this.#set.all) if (task.internalState === 'NEW') this.#schedule(task);
    this.#admitReduces();
  }

  /** Kills everything that has not ended. */
  killAll(): void {
    this.#admission.clear();
    this.#limits.clear();
    for (const task of this.#set.all) this.killTask(task);
  }

  #schedule(task: Task): void {
    task.scheduledMs = this.#clock.now();
    task.move('T_SCHEDULE');
    task.startWritten = true;
    this.#ports.history(history.taskStarted(task));
    this.#tryTask(task, 'VIRGIN');
  }

  /** Starts another attempt. */
  #tryTask(task: Task, avataar: 'VIRGIN' | 'SPECULATIVE'): void {
    const again = task.attempts.length > 0 && avataar === 'VIRGIN';
    const attempt = task.addAttempt(
      task.kind === 'REDUCE' ? requestPriorities.REDUCE : again ? requestPriorities.FAILED_MAP : requestPriorities.MAP,
      avataar,
    );
    attempt.move('TA_SCHEDULE');
    // In the master there is nothing to wait for: each has its place there at once (LocalContainerAllocator).
    if (this.#job.uberized) {
      this.#ports.ask(attempt, task);
      countPlace(this.#job.jobCounters, attempt, task);
    } else if (task.kind === 'REDUCE' && avataar === 'VIRGIN') this.#admission.wait(attempt);
    else this.#askWithin(attempt);
  }

  /** Asks for a container, now or when fewer attempts run. */
  #askWithin(...attempts: Attempt[]): void {
    for (const attempt of attempts) this.#limits.wait(attempt);
    for (const attempt of this.#limits.admit()) {
      attempt.askedMs = this.#clock.steadyMs();
      this.#ports.ask(attempt, this.#set.of(attempt));
    }
  }

  /** One more attempt of a running task that is slow. */
  speculate(task: Task): void {
    if (task.internalState === 'RUNNING') this.#tryTask(task, 'SPECULATIVE');
  }

  /** Asks for containers of the reduces whose turn it is. */
  #admitReduces(): void {
    if (this.#job.internalState !== 'RUNNING') return;
    this.#askWithin(...this.#admission.admit(this.#set, this.#ports.headroom()));
  }

  /** Kills a task with its attempts: it is not tried again. Nothing happens where it has ended. */
  killTask(task: Task): void {
    if (task.ended || task.internalState === 'KILL_WAIT') return;
    task.move('T_KILL');
    if (task.internalState === 'KILLED') {
      task.endedMs = this.#clock.now();
      return;
    }
    for (const attempt of task.active) this.#kill(task, attempt, 'Task KILL is received. Killing attempt!');
    this.#checkKilled(task);
  }

  #checkKilled(task: Task): void {
    if (task.internalState !== 'KILL_WAIT' || task.active.length > 0) return;
    task.endedMs = this.#clock.now();
    task.move('T_ALL_ATTEMPTS_ENDED');
    if (task.startWritten) this.#ports.history(history.taskUnsuccessful(task, 'KILLED'));
    // A job that goes on without the map does so as without one that failed and may: reduces are not to wait for its output.
    const last = task.attempts.at(-1);
    if (task.kind === 'MAP' && last !== undefined && this.#job.internalState === 'RUNNING') this.#tellReduces(last, 'TIPFAILED');
  }

  #tellReduces(attempt: Attempt, status: MapEvent['status']): void {
    if (this.#rules.reduces === 0) return;
    this.mapEvents.push({ attemptId: attempt.id, status, shuffleUrl: this.#ports.shuffleUrl(attempt) });
    this.#ports.mapEvents();
  }

  #taskSucceeded(task: Task, attempt: Attempt): void {
    task.successfulAttempt = attempt.id;
    task.endedMs = this.#clock.now();
    task.move('T_ATTEMPT_SUCCEEDED');
    this.#ports.history(history.taskFinished(task));
    if (task.kind === 'MAP') this.#tellReduces(attempt, 'SUCCEEDED');
    for (const other of task.active) this.#kill(task, other, `Speculation: ${attempt.id} succeeded first!`);
    this.#admitReduces();
    this.#changed();
  }

  /** An attempt has ended without success. */
  #attemptLost(task: Task, attempt: Attempt, how: 'FAILED' | 'KILLED'): void {
    if (task.committing === attempt) task.committing = undefined;
    if (how === 'FAILED') {
      task.failed(attempt);
      if (task.skipping !== undefined) this.#ports.rememberSkipping(task.id, task.skipping.state);
    }
    const limit = task.kind === 'MAP' ? this.#rules.mapAttempts : this.#rules.reduceAttempts;
    if (task.internalState === 'KILL_WAIT') this.#checkKilled(task);
    else if (!task.ended) {
      if (how === 'FAILED' && task.failedAttempts >= limit) this.#giveUp(task, attempt);
      else if (task.active.length === 0 && task.takes('T_RETRY')) {
        task.move('T_RETRY');
        this.#tryTask(task, 'VIRGIN');
      }
    }
    this.#admitReduces();
    this.#changed();
  }

  #giveUp(task: Task, attempt: Attempt): void {
    task.endedMs = this.#clock.now();
    task.successfulAttempt = '';
    task.move('T_GIVEN_UP');
    this.#ports.history(history.taskUnsuccessful(task, 'FAILED', attempt));
    this.#job.diagnostics.push(`Task failed ${task.id}\n`.trimEnd());
    for (const other of task.active) this.#kill(task, other, 'Task has failed. Killing attempt!');
    if (task.kind === 'MAP') this.#tellReduces(attempt, 'TIPFAILED');
  }

  /** A container for an attempt; answers false where it is not wanted any more. */
  allocated(attemptId: string, container: AssignedContainer): boolean {
    const attempt = this.#set.findAttempt(attemptId);
    if (attempt === undefined || !attempt.takes('TA_ASSIGNED')) return false;
    attempt.container = container;
    attempt.assignedMs = this.#clock.steadyMs();
    attempt.locality = localityOf(this.#set.of(attempt), container, this.#job.uberized);
    this.#byContainer.set(container.containerId, attempt);
    attempt.move('TA_ASSIGNED');
    if (!this.#job.uberized) countPlace(this.#job.jobCounters, attempt, this.#set.of(attempt));
    this.#admitReduces();
    return true;
  }

  /** What the process in this container is to run; undefined where the container is unknown (yet) or not wanted. */
  assignment(containerId: string): TaskAssignment | undefined {
    const attempt = this.#byContainer.get(containerId);
    if (attempt === undefined) return undefined;
    const task = this.#set.of(attempt);
    if (attempt.takes('TA_CONTAINER_LAUNCHED')) this.#launched(task, attempt);
    if (attempt.internalState !== 'RUNNING') return undefined;
    return assignmentOf(this.#job, task, attempt);
  }

  #launched(task: Task, attempt: Attempt): void {
    attempt.begin(this.#clock);
    attempt.skipping = task.skipping?.plan;
    attempt.move('TA_CONTAINER_LAUNCHED');
    if (task.takes('T_ATTEMPT_LAUNCHED')) task.move('T_ATTEMPT_LAUNCHED');
    countLaunch(this.#job.jobCounters, attempt, task, this.#job.uberized);
    this.#ports.history(history.attemptStarted(task, attempt, this.#rules.shufflePort));
  }

  /** The attempt a report comes from, where it still counts. */
  #reporting(attemptId: string): { task: Task; attempt: Attempt } | undefined {
    const attempt = this.#set.findAttempt(attemptId);
    if (attempt === undefined || (attempt.internalState !== 'RUNNING' && attempt.internalState !== 'COMMIT_PENDING')) return undefined;
    return { task: this.#set.of(attempt), attempt };
  }

  /** Answers whether the task is to go on. */
  status(report: StatusReport): boolean {
    const found = this.#reporting(report.attemptId);
    if (found === undefined) return false;
    found.attempt.update(report, this.#clock.steadyMs());
    for (const mapAttemptId of report.fetchFailures ?? []) this.#fetchFailed(mapAttemptId, found.attempt);
    return true;
  }

  /** The attempt has its output and asks to commit; answers whether it is to go on. */
  commitPending(report: StatusReport): boolean {
    if (!this.status(report)) return false;
    const { task, attempt } = this.#reporting(report.attemptId)!;
    if (attempt.takes('TA_COMMIT_PENDING')) attempt.move('TA_COMMIT_PENDING');
    if (task.committing === undefined) task.committing = attempt;
    else if (task.committing !== attempt) this.#kill(task, attempt, `Speculation: ${task.committing.id} committed first!`);
    return true;
  }

  /** Whether the attempt may commit; undefined where it is not wanted any more. */
  mayCommit(attemptId: string): boolean | undefined {
    const found = this.#reporting(attemptId);
    if (found === undefined) return undefined;
    found.attempt.lastProgressMs = this.#clock.steadyMs();
    return this.#job.internalState === 'RUNNING' && found.task.committing === found.attempt;
  }

  /** The attempt has succeeded; false where it is not wanted any more. */
  done(report: StatusReport): boolean {
    if (this.#set.findAttempt(report.attemptId)?.state === 'SUCCEEDED') return true;
    if (!this.status(report)) return false;
    const { task, attempt } = this.#reporting(report.attemptId)!;
    attempt.finish(this.#clock);
    attempt.move('TA_DONE');
    countAttemptEnd(this.#job.jobCounters, attempt, this.#job, 'SUCCEEDED');
    this.#ports.history(history.attemptFinished(task, attempt));
    if (task.takes('T_ATTEMPT_SUCCEEDED')) this.#taskSucceeded(task, attempt);
    else this.#checkKilled(task);
    return true;
  }

  /** The attempt says that it has failed; false where it is not wanted any more. */
  failed(report: FailureReport): boolean {
    if (!this.status(report)) return false;
    const { task, attempt } = this.#reporting(report.attemptId)!;
    attempt.endWith(report.diagnostic);
    attempt.trialPassed = report.trialPassed ?? false;
    attempt.finish(this.#clock);
    if (report.failFast) task.failedAttempts = Number.MAX_SAFE_INTEGER - 1;
    attempt.move('TA_FAILMSG');
    return true;
  }

  /** Kills an attempt; its task tries again. */
  kill(attemptId: string, diagnostic: string): void {
    const attempt = this.#set.findAttempt(attemptId);
    if (attempt !== undefined) this.#kill(this.#set.of(attempt), attempt, diagnostic);
    this.#changed();
  }

  /** Lets an attempt fail that waits or runs; false where it has ended, or is about to. */
  fail(attemptId: string, diagnostic: string): boolean {
    const attempt = this.#set.findAttempt(attemptId);
    if (attempt === undefined || attempt.finishingSinceMs > 0 || !attempt.takes('TA_FAILMSG_BY_CLIENT')) return false;
    if (attempt.internalState === 'UNASSIGNED') this.#endWaiting(this.#set.of(attempt), attempt, 'FAILED', diagnostic);
    else this.#timeOut(attempt, diagnostic, 'TA_FAILMSG_BY_CLIENT');
    this.#changed();
    return true;
  }

  /** An attempt is to end that had a container and no process in it yet: its start and its end are one moment (sendJHStartEventForAssignedFailTask). */
  #startForEnd(task: Task, attempt: Attempt): void {
    if (attempt.launched || attempt.containerId === undefined) return;
    attempt.begin(this.#clock);
    this.#ports.history(history.attemptStarted(task, attempt, this.#rules.shufflePort));
  }

  /** Ends an attempt that waits for a container. */
  #endWaiting(task: Task, attempt: Attempt, how: 'FAILED' | 'KILLED', diagnostic: string): void {
    this.#startForEnd(task, attempt);
    attempt.endWith(diagnostic);
    attempt.finishingSinceMs = this.#clock.steadyMs();
    attempt.move(how === 'FAILED' ? 'TA_FAILMSG_BY_CLIENT' : 'TA_KILL');
    this.#ports.cancelAsk(attempt.id);
    attempt.touchCounters();
    this.#ports.history(history.attemptUnsuccessful(task, attempt, how));
    countAttemptEnd(this.#job.jobCounters, attempt, this.#job, how);
    this.#attemptLost(task, attempt, how);
  }

  /** Ends the process of an attempt; with a diagnostic the attempt fails by it. */
  #timeOut(attempt: Attempt, diagnostic: string | undefined, event: 'TA_TIMED_OUT' | 'TA_FAILMSG_BY_CLIENT' = 'TA_TIMED_OUT'): void {
    if (diagnostic !== undefined) {
      this.#startForEnd(this.#set.of(attempt), attempt);
      attempt.endWith(diagnostic);
      attempt.finishingSinceMs = this.#clock.steadyMs();
    }
    attempt.move(event);
    this.#ports.stopContainer(attempt.container!);
  }

  #kill(task: Task, attempt: Attempt, diagnostic: string): void {
    // A finished map is lost with its output only where reduces need it; a finished reduce stays what it is.
    if (attempt.state === 'SUCCEEDED') {
      if (task.kind === 'MAP' && this.#rules.reduces > 0 && this.#job.internalState === 'RUNNING')
        this.#outputLost(task, attempt, 'KILLED', diagnostic);
      return;
    }
    if (!attempt.takes('TA_KILL')) return;
    if (attempt.internalState === 'UNASSIGNED') return this.#endWaiting(task, attempt, 'KILLED', diagnostic);
    this.#startForEnd(task, attempt);
    attempt.diagnostics.push(diagnostic);
    attempt.diagnosticsAtEnd ??= attempt.diagnostics.join('\n');
    attempt.finishingSinceMs = this.#clock.steadyMs();
    attempt.move('TA_KILL');
    if (attempt.container !== undefined) this.#ports.stopContainer(attempt.container);
  }

  /** A container is over. */
  containerCompleted(containerId: string, exitCode: number, diagnostics: string): void {
    const attempt = this.#byContainer.get(containerId);
    // After the end the history is closed: an attempt whose container outlived its job (a slower twin of one that succeeded) has no event more.
    if (attempt === undefined || this.#job.ended) return;
    this.#byContainer.delete(containerId);
    const before = attempt.state;
    this.#startForEnd(this.#set.of(attempt), attempt);
    if (diagnostics.trim() !== '' && before !== 'SUCCEEDED') attempt.diagnostics.push(diagnostics);
    const event = killedTaskStatuses.has(exitCode) ? 'TA_PREEMPTED' : 'TA_CONTAINER_COMPLETED';
    if (attempt.takes(event)) attempt.move(event);
    // A program may end its own process, with 0 too, and the node has nothing to say of that.
    if (attempt.internalState === 'FAIL_TASK_CLEANUP' && attempt.diagnostics.length === 0)
      attempt.diagnostics.push(
        `Its process ended with exit code ${exitCode} before the task was done; the container was ${containerId} on ${attempt.container?.nodeId ?? 'a node'}`,
      );
    this.#cleanUp(attempt);
    this.#changed();
  }

  /** Ends an attempt whose container is gone. */
  #cleanUp(attempt: Attempt): void {
    const task = this.#set.of(attempt);
    const how =
      attempt.internalState === 'FAIL_TASK_CLEANUP' ? 'FAILED' : attempt.internalState === 'KILL_TASK_CLEANUP' ? 'KILLED' : undefined;
    if (how === undefined) return;
    this.#ports.attemptLost(attempt, how);
    if (attempt.finishTimeMs === 0) attempt.finishTimeMs = this.#clock.now();
    attempt.move('TA_CLEANUP_DONE');
    attempt.touchCounters();
    countAttemptEnd(this.#job.jobCounters, attempt, this.#job, how);
    this.#ports.history(history.attemptUnsuccessful(task, attempt, how));
    this.#attemptLost(task, attempt, how);
  }

  #fetchFailed(mapAttemptId: string, reduce: Attempt): void {
    const map = this.#set.findAttempt(mapAttemptId);
    if (map === undefined || map.state !== 'SUCCEEDED') return;
    if (!tooManyFetchFailures(map, reduce.id, this.#set.ofKind('REDUCE'), this.#rules)) return;
    this.#outputLost(this.#set.of(map), map, 'FAILED', fetchFailureText(reduce));
    this.#changed();
  }

  /** A complete map has to be run again. */
  #outputLost(task: Task, attempt: Attempt, how: 'FAILED' | 'KILLED', diagnostic: string): void {
    const event = how === 'FAILED' ? 'TA_TOO_MANY_FETCH_FAILURES' : 'TA_OUTPUT_KILLED';
    if (!attempt.takes(event)) return;
    attempt.endWith(diagnostic);
    attempt.finishTimeMs = this.#clock.now();
    attempt.move(event);
    this.#job.jobCounters.increment(jobCounterGroup, how === 'FAILED' ? 'NUM_FAILED_MAPS' : 'NUM_KILLED_MAPS');
    this.#ports.history(history.attemptUnsuccessful(task, attempt, how));
    this.#tellReduces(attempt, 'OBSOLETE');
    this.#ports.attemptLost(attempt, how);
    if (task.successfulAttempt !== attempt.id) return;
    if (how === 'FAILED') task.failedAttempts++;
    if (task.failedAttempts >= this.#rules.mapAttempts) this.#giveUp(task, attempt);
    else {
      task.successfulAttempt = '';
      task.endedMs = 0;
      task.move('T_OUTPUT_LOST');
      this.#tryTask(task, 'VIRGIN');
    }
  }

  /** From time to time: attempts that say nothing, processes that do not end. */
  tick(): void {
    const now = this.#clock.steadyMs();
    for (const attempt of [...this.#byContainer.values()]) {
      const silence = silenceOf(attempt, this.#rules, now);
      if (silence !== undefined) this.#timeOut(attempt, silence.diagnostic);
    }
    const preempted = reduceToPreempt(this.#set, this.#rules, this.#ports.headroom(), now);
    if (preempted !== undefined) this.#kill(this.#set.of(preempted), preempted, preemptedForMaps);
    this.#admitReduces();
  }
}
