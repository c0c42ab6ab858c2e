// The job: creates its tasks, gives them containers, hears of their ends and decides its own. The only writer of tasks and attempts.
// Nothing here waits: what takes time is asked for through the ports and comes back as another call.
import type { Clock } from '../../lib/clock.ts';
import { nextState } from '../../lib/state-machine.ts';
import { killedTaskStatuses } from '../../model/exit-status.ts';
import { Counters, sumCounters } from '../counters/counters.ts';
import { jobCounterGroup } from '../counters/names.ts';
import type { InputSplit } from '../tasks/input/input-split.ts';
import type { JobConfiguration } from '../tasks/job-configuration.ts';
import { formatTaskId } from '../tasks/task-ids.ts';
import type { FailureReport, MapEvent, StatusReport, TaskAssignment } from '../tasks/umbilical.ts';
import { assignmentOf } from './assignment.ts';
import { type AssignedContainer, type Attempt, InvalidEvent } from './attempt.ts';
import { fetchFailureText, tooManyFetchFailures } from './fetch-failures.ts';
import * as history from './history-events.ts';
import { countAttemptEnd, countLaunch, localityOf } from './job-accounting.ts';
import type { JobOptions, JobPorts } from './job-ports.ts';
import type { JobRecord } from './job-record.ts';
import { type JobRules, jobRules } from './job-rules.ts';
import { externalJobState, type JobEvent, type JobInternalState, jobEnded, jobTransitions, killNotes } from './job-states.ts';
import type { JobProperty, JobState, MasterGenerationView, RunningJob, TaskKind } from './job-view.ts';
import { earlierCommitEvents, type RecoveredTask, takeUp } from './recovery.ts';
import { ReduceAdmission } from './reduce-admission.ts';
import { preemptedForMaps, reduceToPreempt } from './reduce-preemption.ts';
import { RunningLimits } from './running-limits.ts';
import { silenceOf } from './silence.ts';
import { Task } from './task.ts';
import { TaskSet } from './task-set.ts';
import { TaskSkipping } from './task-skipping.ts';

/** Priorities of container requests, lower = earlier (RMContainerAllocator). */
const requestPriorities = { FAILED_MAP: 5, REDUCE: 10, MAP: 20 } as const;

/** A running job. */
export class Job implements RunningJob, JobRecord {
  readonly id: string;
  readonly applicationId: string;
  readonly name: string;
  readonly user: string;
  readonly submitTimeMs: number;
  readonly settings: JobConfiguration;
  readonly configuration: readonly JobProperty[];
  readonly configurationPath: string;
  readonly masters: readonly MasterGenerationView[];
  readonly masterStartTimeMs: number;
  readonly generation: number;
  readonly uberized: boolean;
  readonly diagnostics: string[] = [];
  readonly rules: JobRules;
  readonly jobCounters: Counters;
  readonly #noCounters: Counters;
  queue: string;
  startTimeMs = 0;
  finishTimeMs = 0;
  /** The resource manager knows the end: only then the outside may see it. */
  unregistered = false;
  readonly #clock: Clock;
  readonly #ports: JobPorts;
  readonly #set = new TaskSet();
  readonly #byContainer = new Map<string, Attempt>();
  readonly mapEvents: MapEvent[] = [];
  #state: JobInternalState = 'NEW';
  #shownState: JobState = 'NEW';
  readonly #admission: ReduceAdmission;
  readonly #limits: RunningLimits;

  constructor(options: JobOptions) {
    this.id = options.id;
    this.applicationId = options.applicationId;
    this.user = options.user;
    this.submitTimeMs = options.submitTimeMs;
    this.settings = options.settings;
    this.configuration = options.configuration;
    this.configurationPath = options.configurationPath;
    this.masters = options.masters;
    this.masterStartTimeMs = options.masters.at(-1)!.startTimeMs;
    this.generation = options.generation;
    this.uberized = options.uberized ?? false;
    this.#clock = options.clock;
    this.#ports = options.ports;
    this.name = this.settings.text('mapreduce.job.name', '');
    this.queue = this.settings.text('mapreduce.job.queuename', 'default');
    this.rules = jobRules(this.settings);
    this.jobCounters = new Counters(undefined, this.rules.counterLimits);
    this.#noCounters = new Counters(undefined, this.rules.counterLimits);
    this.#admission = new ReduceAdmission(this.rules);
    this.#limits = new RunningLimits(this.rules);
    const create = (kind: TaskKind, index: number, split: InputSplit | undefined) => {
      const id = formatTaskId(this.id, kind, index);
      const rules = this.rules.skipping[kind];
      const skipping = rules && new TaskSkipping(rules, options.skipping?.get(id));
      this.#set.add(new Task({ id, kind, index, split, generation: this.generation, noCounters: this.#noCounters, skipping }));
    };
    for (const [index, split] of options.splits.entries()) create('MAP', index, split);
    for (let index = 0; index < this.rules.reduces; index++) create('REDUCE', index, undefined);
  }

  get internalState(): JobInternalState {
    return this.#state;
  }
  /** Without the delay until the resource manager knows. */
  get finalState(): JobState {
    return externalJobState(this.#state);
  }
  get ended(): boolean {
    return jobEnded(this.#state);
  }
  get state(): JobState {
    return this.unregistered ? externalJobState(this.#state) : this.#shownState;
  }
  get tasks(): readonly Task[] {
    return this.#set.all;
  }
  ofKind(kind: TaskKind): readonly Task[] {
    return this.#set.ofKind(kind);
  }
  get mapProgress(): number {
    return this.#set.progress('MAP');
  }
  get reduceProgress(): number {
    return this.#set.progress('REDUCE');
  }
  /** 0 to 1 of the whole job, as clients see it. */
  get progress(): number {
    if (this.ended) return 1;
    if (this.#state === 'NEW' || this.#state === 'INITED' || this.#state === 'SETUP') return 0;
    return this.#set.wholeProgress();
  }
  get accessLists(): RunningJob['accessLists'] {
    return this.rules.accessLists;
  }
  task(id: string): Task | undefined {
    return this.#set.find(id);
  }
  attempt(id: string): Attempt | undefined {
    return this.#set.findAttempt(id);
  }
  mapCounters(): Counters {
    return this.#set.counters('MAP');
  }
  reduceCounters(): Counters {
    return this.#set.counters('REDUCE');
  }
  totalCounters(): Counters {
    if (this.#state === 'NEW' || this.#state === 'INITED') return new Counters();
    return sumCounters([this.jobCounters, this.mapCounters(), this.reduceCounters()]);
  }

  #move(event: JobEvent): boolean {
    const next = nextState(jobTransitions, this.#state, event);
    if (next === undefined) {
      if (this.ended) return false;
      throw new InvalidEvent(`Invalid event ${event} on Job ${this.id}`);
    }
    this.#state = next;
    const external = externalJobState(next);
    if (external === 'NEW' || external === 'INITED' || external === 'RUNNING') this.#shownState = external;
    if (this.ended) {
      this.finishTimeMs = this.#clock.now();
      this.#ports.history(history.jobEndEvent(this));
      this.#ports.ended();
    }
    return true;
  }

  /** Tells the history who runs the job; `startTimeMs` is kept over restarts of the master. */
  init(startTimeMs: number): void {
    this.startTimeMs = startTimeMs;
    this.#move('JOB_INIT');
    this.#ports.history(history.jobSubmitted(this));
  }

  /** The queue's full path, as the resource manager knows it. */
  setQueue(queue: string): void {
    if (queue === '' || queue === this.queue) return;
    this.queue = queue;
    this.#ports.history(history.jobQueueChanged(this));
  }

  start(recovered: ReadonlyMap<string, RecoveredTask>): void {
    this.#goOn(recovered);
    this.#move('JOB_START');
    this.#ports.setup();
  }

  /** What the job is, and what earlier masters have done of it, goes into the history of this one. */
  #goOn(recovered: ReadonlyMap<string, RecoveredTask>): void {
    for (const event of history.jobInited(this)) this.#ports.history(event);
    for (const [id, task] of recovered) this.#recover(this.#set.find(id), task);
  }

  setupDone(error?: Error): void {
    if (this.#state !== 'SETUP') return;
    if (error !== undefined) {
      this.diagnostics.push(`Job setup failed : ${error.name}: ${error.message}`);
      this.#move('JOB_SETUP_FAILED');
      this.#ports.abort();
      return;
    }
    this.#move('JOB_SETUP_COMPLETED');
    for (const task of this.tasks) if (task.internalState === 'NEW') this.#schedule(task);
    if (this.tasks.length === 0) this.diagnostics.push(`No of maps and reduces are 0 ${this.id}`);
    this.#admitReduces();
    this.#checkTasks();
  }

  commitDone(error?: Error): void {
    if (this.#state !== 'COMMITTING') return;
    if (error === undefined) {
      this.#move('JOB_COMMIT_COMPLETED');
      return;
    }
    this.diagnostics.push(`Job commit failed: ${error.name}: ${error.message}`);
    this.#move('JOB_COMMIT_FAILED');
    this.#ports.abort();
  }

  abortDone(): void {
    if (this.#state === 'FAIL_ABORT' || this.#state === 'KILL_ABORT') this.#move('JOB_ABORT_COMPLETED');
  }

  /** Ends the job at once, before its start, as the commit of an earlier master has decided. Its history keeps the tasks that were done. */
  forceEnd(state: 'SUCCEEDED' | 'FAILED' | 'ERROR', diagnostic: string, recovered: ReadonlyMap<string, RecoveredTask>): void {
    this.#goOn(recovered);
    this.diagnostics.push(diagnostic);
    this.#move(earlierCommitEvents[state]);
  }

  /** Something went wrong in the master itself. */
  internalError(error: Error): void {
    if (this.ended) return;
    this.diagnostics.push(error.message);
    this.#move('INTERNAL_ERROR');
  }

  killJob(diagnostic: string): void {
    if (this.ended || nextState(jobTransitions, this.#state, 'JOB_KILL') === undefined) return;
    this.diagnostics.push(diagnostic);
    const before = this.#state;
    const note = killNotes[before];
    if (note !== undefined) this.diagnostics.push(note);
    this.#move('JOB_KILL');
    if (before === 'RUNNING') this.#killTasks();
    else if (before === 'SETUP' || before === 'COMMITTING') this.#ports.abort();
  }

  #killTasks(): void {
    this.#admission.clear();
    this.#limits.clear();
    for (const task of this.tasks) this.#killTask(task);
    this.#checkTasks();
  }

  /** After a task's end: is the job done, lost, or may it go on? (JobImpl.checkJobAfterTaskCompletion) */
  #checkTasks(): void {
    const { allEnded } = this.#set;
    if (this.#state === 'KILL_WAIT' || this.#state === 'FAIL_WAIT') {
      if (allEnded && this.#byContainer.size === 0) {
        this.#move('JOB_ALL_TASKS_ENDED');
        this.#ports.abort();
      }
      return;
    }
    if (this.#state !== 'RUNNING') return;
    const failure = this.#set.failure(this.rules);
    if (failure !== undefined) {
      this.diagnostics.push(failure);
      this.#move('JOB_TASKS_FAILED');
      this.#killTasks();
      return;
    }
    const reducesDone = this.rules.reduces > 0 && this.rules.finishWhenReducesDone && this.ofKind('REDUCE').every((task) => task.ended);
    // Maps whose output nothing reads any more are killed (JobImpl.checkReadyForCompletionWhenAllReducersDone); the end of each asks again.
    if (reducesDone && !allEnded) for (const task of this.tasks) this.#killTask(task);
    if (this.#set.allEnded && this.internalState === 'RUNNING') {
      this.#move('JOB_TASKS_DONE');
      this.#ports.commit();
    }
  }

  #recover(task: Task | undefined, recovered: RecoveredTask): void {
    if (task === undefined) return;
    const attempt = takeUp(task, recovered);
    for (const event of history.recovered(task, attempt, this.rules.shufflePort)) this.#ports.history(event);
    countLaunch(this.jobCounters, attempt, task, this.uberized);
    countAttemptEnd(this.jobCounters, attempt, this, 'SUCCEEDED');
    if (task.kind === 'MAP') this.#tellReduces(attempt, 'SUCCEEDED');
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
    attempt.createdMs = this.#clock.now();
    if (task.kind === 'REDUCE' && avataar === 'VIRGIN') this.#admission.wait(attempt);
    else this.#askWithin(attempt);
  }

  /** Asks for a container, now or when fewer attempts run. */
  #askWithin(...attempts: Attempt[]): void {
    for (const attempt of attempts) this.#limits.wait(attempt);
    for (const attempt of this.#limits.admit()) this.#ports.ask(attempt, this.#set.of(attempt));
  }

  /** One more attempt of a running task that is slow. */
  speculate(task: Task): void {
    if (task.internalState === 'RUNNING') this.#tryTask(task, 'SPECULATIVE');
  }

  #admitReduces(): void {
    if (this.#state !== 'RUNNING') return;
    this.#askWithin(...this.#admission.admit(this.#set));
  }

  #killTask(task: Task): void {
    if (task.ended || task.internalState === 'KILL_WAIT') return;
    task.move('T_KILL');
    if (task.internalState === 'KILLED') {
      task.endedMs = this.#clock.now();
      return;
    }
    for (const attempt of task.active) this.#killAttempt(task, attempt, 'Task KILL is received. Killing attempt!');
    this.#checkKilled(task);
  }

  #checkKilled(task: Task): void {
    if (task.internalState !== 'KILL_WAIT' || task.active.length > 0) return;
    task.endedMs = this.#clock.now();
    task.move('T_ALL_ATTEMPTS_ENDED');
    if (task.startWritten) this.#ports.history(history.taskUnsuccessful(task, 'KILLED'));
  }

  #tellReduces(attempt: Attempt, status: MapEvent['status']): void {
    if (this.rules.reduces === 0) return;
    this.mapEvents.push({ attemptId: attempt.id, status, shuffleUrl: this.#ports.shuffleUrl(attempt) });
    this.#ports.mapEvents();
  }

  #taskSucceeded(task: Task, attempt: Attempt): void {
    task.successfulAttempt = attempt.id;
    task.endedMs = this.#clock.now();
    task.move('T_ATTEMPT_SUCCEEDED');
    this.#ports.history(history.taskFinished(task));
    if (task.kind === 'MAP') this.#tellReduces(attempt, 'SUCCEEDED');
    for (const other of task.active) this.#killAttempt(task, other, `Speculation: ${attempt.id} succeeded first!`);
    this.#admitReduces();
    this.#checkTasks();
  }

  /** An attempt has ended without success. */
  #attemptLost(task: Task, attempt: Attempt, how: 'FAILED' | 'KILLED'): void {
    if (task.committing === attempt) task.committing = undefined;
    if (how === 'FAILED') {
      task.failed(attempt);
      if (task.skipping !== undefined) this.#ports.rememberSkipping(task.id, task.skipping.state);
    }
    const limit = task.kind === 'MAP' ? this.rules.mapAttempts : this.rules.reduceAttempts;
    if (task.internalState === 'KILL_WAIT') this.#checkKilled(task);
    else if (!task.ended) {
      if (how === 'FAILED' && task.failedAttempts >= limit) this.#giveUp(task, attempt);
      else if (task.active.length === 0 && task.takes('T_RETRY')) {
        task.move('T_RETRY');
        this.#tryTask(task, 'VIRGIN');
      }
    }
    this.#admitReduces();
    this.#checkTasks();
  }

  #giveUp(task: Task, attempt: Attempt): void {
    task.endedMs = this.#clock.now();
    task.successfulAttempt = '';
    task.move('T_GIVEN_UP');
    this.#ports.history(history.taskUnsuccessful(task, 'FAILED', attempt));
    this.diagnostics.push(`Task failed ${task.id}\n`.trimEnd());
    for (const other of task.active) this.#killAttempt(task, other, 'Task has failed. Killing attempt!');
    if (task.kind === 'MAP') this.#tellReduces(attempt, 'TIPFAILED');
  }

  /** A container for an attempt; answers false where it is not wanted any more. */
  allocated(attemptId: string, container: AssignedContainer): boolean {
    const attempt = this.attempt(attemptId);
    if (attempt === undefined || !attempt.takes('TA_ASSIGNED')) return false;
    attempt.container = container;
    attempt.assignedMs = this.#clock.now();
    attempt.locality = localityOf(this.#set.of(attempt), container, this.uberized);
    this.#byContainer.set(container.containerId, attempt);
    attempt.move('TA_ASSIGNED');
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
    return assignmentOf(this, task, attempt);
  }

  #launched(task: Task, attempt: Attempt): void {
    attempt.startTimeMs = attempt.lastProgressMs = this.#clock.now();
    attempt.skipping = task.skipping?.plan;
    attempt.move('TA_CONTAINER_LAUNCHED');
    if (task.takes('T_ATTEMPT_LAUNCHED')) task.move('T_ATTEMPT_LAUNCHED');
    countLaunch(this.jobCounters, attempt, task, this.uberized);
    this.#ports.history(history.attemptStarted(task, attempt, this.rules.shufflePort));
  }

  /** The attempt a report comes from, where it still counts. */
  #reporting(attemptId: string): { task: Task; attempt: Attempt } | undefined {
    const attempt = this.attempt(attemptId);
    if (attempt === undefined || (attempt.internalState !== 'RUNNING' && attempt.internalState !== 'COMMIT_PENDING')) return undefined;
    return { task: this.#set.of(attempt), attempt };
  }

  /** Answers whether the task is to go on. */
  status(report: StatusReport): boolean {
    const found = this.#reporting(report.attemptId);
    if (found === undefined) return false;
    found.attempt.update(report, this.#clock.now());
    for (const mapAttemptId of report.fetchFailures ?? []) this.#fetchFailed(mapAttemptId, found.attempt);
    return true;
  }

  commitPending(report: StatusReport): boolean {
    if (!this.status(report)) return false;
    const { task, attempt } = this.#reporting(report.attemptId)!;
    if (attempt.takes('TA_COMMIT_PENDING')) attempt.move('TA_COMMIT_PENDING');
    if (task.committing === undefined) task.committing = attempt;
    else if (task.committing !== attempt) this.#killAttempt(task, attempt, `Speculation: ${task.committing.id} committed first!`);
    return true;
  }

  /** Whether the attempt may commit; undefined where it is not wanted any more. */
  mayCommit(attemptId: string): boolean | undefined {
    const found = this.#reporting(attemptId);
    if (found === undefined) return undefined;
    found.attempt.lastProgressMs = this.#clock.now();
    return this.#state === 'RUNNING' && found.task.committing === found.attempt;
  }

  done(report: StatusReport): boolean {
    if (this.attempt(report.attemptId)?.state === 'SUCCEEDED') return true;
    if (!this.status(report)) return false;
    const { task, attempt } = this.#reporting(report.attemptId)!;
    attempt.finishTimeMs = attempt.finishingSinceMs = this.#clock.now();
    attempt.move('TA_DONE');
    countAttemptEnd(this.jobCounters, attempt, this, 'SUCCEEDED');
    this.#ports.history(history.attemptFinished(task, attempt));
    if (task.takes('T_ATTEMPT_SUCCEEDED')) this.#taskSucceeded(task, attempt);
    else this.#checkKilled(task);
    return true;
  }

  failed(report: FailureReport): boolean {
    if (!this.status(report)) return false;
    const { task, attempt } = this.#reporting(report.attemptId)!;
    attempt.endWith(report.diagnostic);
    attempt.trialPassed = report.trialPassed ?? false;
    attempt.finishTimeMs = attempt.finishingSinceMs = this.#clock.now();
    if (report.failFast) task.failedAttempts = Number.MAX_SAFE_INTEGER - 1;
    attempt.move('TA_FAILMSG');
    return true;
  }

  killAttempt(attemptId: string, diagnostic: string): void {
    const attempt = this.attempt(attemptId);
    if (attempt !== undefined) this.#killAttempt(this.#set.of(attempt), attempt, diagnostic);
    this.#checkTasks();
  }

  killTask(taskId: string): void {
    this.#killTask(this.task(taskId)!);
    this.#checkTasks();
  }

  failAttempt(attemptId: string, diagnostic: string): boolean {
    const attempt = this.attempt(attemptId);
    if (attempt?.container === undefined || attempt.finishingSinceMs > 0 || !attempt.takes('TA_TIMED_OUT')) return false;
    this.#timeOut(attempt, diagnostic);
    return true;
  }

  /** Ends the process of an attempt; with a diagnostic the attempt fails by it. */
  #timeOut(attempt: Attempt, diagnostic: string | undefined): void {
    if (diagnostic !== undefined) {
      attempt.endWith(diagnostic);
      attempt.finishingSinceMs = this.#clock.now();
    }
    attempt.move('TA_TIMED_OUT');
    this.#ports.stopContainer(attempt.container!);
  }

  #killAttempt(task: Task, attempt: Attempt, diagnostic: string): void {
    // A finished map is lost with its output only where reduces need it; a finished reduce stays what it is.
    if (attempt.state === 'SUCCEEDED') {
      if (task.kind === 'MAP' && this.rules.reduces > 0 && this.#state === 'RUNNING') this.#outputLost(task, attempt, 'KILLED', diagnostic);
      return;
    }
    if (!attempt.takes('TA_KILL')) return;
    const waiting = attempt.internalState === 'UNASSIGNED';
    attempt.diagnostics.push(diagnostic);
    attempt.diagnosticsAtEnd ??= attempt.diagnostics.join('\n');
    attempt.finishingSinceMs = this.#clock.now();
    attempt.move('TA_KILL');
    if (waiting) {
      this.#ports.cancelAsk(attempt.id);
      attempt.touchCounters();
      this.#ports.history(history.attemptUnsuccessful(task, attempt, 'KILLED'));
      countAttemptEnd(this.jobCounters, attempt, this, 'KILLED');
      this.#attemptLost(task, attempt, 'KILLED');
    } else if (attempt.container !== undefined) this.#ports.stopContainer(attempt.container);
  }

  /** A container is over. */
  containerCompleted(containerId: string, exitCode: number, diagnostics: string): void {
    const attempt = this.#byContainer.get(containerId);
    // After the end the history is closed: an attempt whose container outlived its job (a slower twin of one that succeeded) has no event more.
    if (attempt === undefined || this.ended) return;
    this.#byContainer.delete(containerId);
    const before = attempt.state;
    if (diagnostics.trim() !== '' && before !== 'SUCCEEDED') attempt.diagnostics.push(diagnostics);
    const event = killedTaskStatuses.has(exitCode) ? 'TA_PREEMPTED' : 'TA_CONTAINER_COMPLETED';
    if (attempt.takes(event)) attempt.move(event);
    this.#cleanUp(attempt);
    this.#checkTasks();
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
    countAttemptEnd(this.jobCounters, attempt, this, how);
    if (attempt.launched) this.#ports.history(history.attemptUnsuccessful(task, attempt, how));
    this.#attemptLost(task, attempt, how);
  }

  #fetchFailed(mapAttemptId: string, reduce: Attempt): void {
    const map = this.attempt(mapAttemptId);
    if (map === undefined || map.state !== 'SUCCEEDED') return;
    if (!tooManyFetchFailures(map, reduce.id, this.#set.ofKind('REDUCE'), this.rules)) return;
    this.#outputLost(this.#set.of(map), map, 'FAILED', fetchFailureText(reduce));
    this.#checkTasks();
  }

  /** A complete map has to be run again. */
  #outputLost(task: Task, attempt: Attempt, how: 'FAILED' | 'KILLED', diagnostic: string): void {
    const event = how === 'FAILED' ? 'TA_TOO_MANY_FETCH_FAILURES' : 'TA_OUTPUT_KILLED';
    if (!attempt.takes(event)) return;
    attempt.endWith(diagnostic);
    attempt.finishTimeMs = this.#clock.now();
    attempt.move(event);
    this.jobCounters.increment(jobCounterGroup, how === 'FAILED' ? 'NUM_FAILED_MAPS' : 'NUM_KILLED_MAPS');
    this.#ports.history(history.attemptUnsuccessful(task, attempt, how));
    this.#tellReduces(attempt, 'OBSOLETE');
    this.#ports.attemptLost(attempt, how);
    if (task.successfulAttempt !== attempt.id) return;
    if (how === 'FAILED') task.failedAttempts++;
    if (task.failedAttempts >= this.rules.mapAttempts) this.#giveUp(task, attempt);
    else {
      task.successfulAttempt = '';
      task.endedMs = 0;
      task.move('T_OUTPUT_LOST');
      this.#tryTask(task, 'VIRGIN');
    }
  }

  /** From time to time: attempts that say nothing, processes that do not end. */
  tick(): void {
    const now = this.#clock.now();
    for (const attempt of [...this.#byContainer.values()]) {
      const silence = silenceOf(attempt, this.rules, now);
      if (silence !== undefined) this.#timeOut(attempt, silence.diagnostic);
    }
    const preempted = reduceToPreempt(this.#set, this.rules, this.#ports.headroom(), now);
    if (preempted !== undefined) this.#killAttempt(this.#set.of(preempted), preempted, preemptedForMaps);
    this.#admitReduces();
  }
}
