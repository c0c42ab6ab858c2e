// What happens to applications: submission, admission, the end, and the changes users ask for. Synchronous: no `await` inside a
// change; what must be durable before it counts is stored first and continued from the store's answer.
import { exitStatus } from '../../model/exit-status.ts';
import { type Application, currentAttempt, publicState, type Submission } from '../applications/application.ts';
import { type ApplicationEvent, isCompletedState, isFinalState, nextApplicationState } from '../applications/application-states.ts';
import { killedByUser, lifetimeOver } from '../applications/diagnostics.ts';
import type { Cluster } from '../cluster.ts';

/** A submission that was admitted. */
export interface AcceptedSubmission {
  readonly submission: Submission;
  readonly user: string;
  /** The queue that placement chose. */
  readonly queue: string;
  /** Whether a mapping rule chose it. */
  readonly mapped: boolean;
}

const ends = {
  FINISHING: 'finalStoredFinishing',
  FINISHED: 'finalStoredFinished',
  FAILED: 'finalStoredFailed',
  KILLED: 'finalStoredKilled',
} as const;

/** How soon an end that could not be stored is stored again. */
const storeRetryMs = 1000;
/** What was just changed stays in memory until its change is stored. */
const shortestMemoryMs = 1000;
/** How many ended applications with nothing left to come stay in memory at most; they are rows of the store already. */
const maximumSettled = 500;

/** The lives of applications; created and called by the cluster only. */
export class ApplicationLife {
  readonly #cluster: Cluster;
  readonly #ends = new Map<string, Promise<void>>();
  /** Ended applications in memory for which nothing is awaited, the earliest first. */
  readonly #settled = new Set<string>();

  constructor(cluster: Cluster) {
    this.#cluster = cluster;
  }

  /** Takes an event through the table; false where the state does not take it. */
  apply(application: Application, event: ApplicationEvent): boolean {
    const next = nextApplicationState(application.state, event);
    if (next === undefined) return false;
    const { logger, tell } = this.#cluster;
    if (next === 'FINAL_SAVING' || next === 'KILLING') application.stateBefore = publicState(application);
    logger.debug({ applicationId: application.id, from: application.state, to: next, event }, 'an application changed its state');
    application.state = next;
    application.version++;
    tell.applicationStateChanged(application);
    return true;
  }

  /** Creates an application, whose id is free. Resolves when it is durable. */
  async submit({ submission, user, queue, mapped }: AcceptedSubmission): Promise<void> {
    const { clock, settings, applications, store } = this.#cluster;
    const nowMs = clock.now();
    const asked = submission.maximumAttempts;
    const application: Application = {
      id: submission.applicationId,
      submission,
      user,
      queue,
      priority: submission.priority,
      state: 'NEW',
      stateBefore: 'NEW',
      submittedMs: nowMs,
      startedMs: nowMs,
      launchedMs: 0,
      finishedMs: 0,
      diagnostics: '',
      target: undefined,
      attempts: [],
      maximumAttempts: asked <= 0 || asked > settings.maximumAttempts ? settings.maximumAttempts : asked,
      failures: [],
      lifetimeExpiryMs: submission.lifetimeSeconds === undefined ? undefined : nowMs + submission.lifetimeSeconds * 1000,
      maximumLifetimeSeconds: -1,
      resourceSeconds: { used: [0, 0], preempted: [0, 0], preemptedResource: [0, 0], preemptedMasters: 0, preemptedOthers: 0 },
      logAggregation: new Map(),
      logAggregationEnabled: settings.logAggregationEnabled,
      blacklistedBySystem: [],
      version: 1,
      admitted: false,
      scheduled: false,
    };
    applications.set(application.id, application);
    this.apply(application, 'start');
    this.#cluster.tell.applicationCreated(application);
    const stored = store.putLive(application).then(
      () => {
        this.#cluster.submissions.delete(application.id);
        this.admit(application, mapped, false);
      },
      (error: unknown) => {
        // Nobody was told that it exists: it may be submitted again.
        this.#cluster.submissions.delete(application.id);
        if (application.state === 'NEW_SAVING') applications.delete(application.id);
        throw error;
      },
    );
    this.#cluster.submissions.set(application.id, stored);
    return stored;
  }

  /** Hands a stored application to the scheduler; one that is recovered in a later state only becomes known to it again. */
  admit(application: Application, mapped: boolean, recovering: boolean): void {
    const isNew = application.state === 'NEW_SAVING';
    if (isNew) this.apply(application, 'stored');
    else if (!recovering) return;
    const { policy } = this.#cluster;
    const { submission } = application;
    const admission = policy.addApplication({
      applicationId: application.id,
      user: application.user,
      queue: application.queue,
      reservationId: submission.reservationId,
      priority: application.priority,
      submitTimeMs: application.submittedMs,
      unmanaged: submission.unmanaged,
      labelExpression: submission.applicationLabelExpression || undefined,
      tags: submission.tags,
      mapped,
      recovering,
    });
    if (!admission.accepted) {
      application.queue = admission.queue;
      if (isNew) void this.end(application, 'FAILED', 'rejected', admission.rejected);
      else this.kill(application, admission.rejected);
      return;
    }
    application.admitted = true;
    application.queue = admission.queue;
    application.priority = admission.priority;
    application.maximumLifetimeSeconds = admission.maximumLifetimeSeconds;
    this.#limitLifetime(application, admission.defaultLifetimeSeconds);
    this.watchLifetime(application);
    if (!isNew) return;
    this.apply(application, 'accepted');
    this.#cluster.attempts.create(application);
  }

  #limitLifetime(application: Application, defaultSeconds: number): void {
    if (application.lifetimeExpiryMs === undefined && defaultSeconds > 0)
      application.lifetimeExpiryMs = application.submittedMs + defaultSeconds * 1000;
    if (application.maximumLifetimeSeconds <= 0) return;
    const latest = application.submittedMs + application.maximumLifetimeSeconds * 1000;
    if (application.lifetimeExpiryMs === undefined || application.lifetimeExpiryMs > latest) application.lifetimeExpiryMs = latest;
  }

  /** Kills the application when its lifetime is over. */
  watchLifetime(application: Application): void {
    const { clock, timers } = this.#cluster;
    const key = `lifetime ${application.id}`;
    timers.cancel(key);
    if (application.lifetimeExpiryMs === undefined) return;
    timers.set(key, application.lifetimeExpiryMs - clock.now(), () => {
      if (application.lifetimeExpiryMs !== undefined && clock.now() < application.lifetimeExpiryMs) return this.watchLifetime(application);
      if (!isCompletedState[application.state]) void this.kill(application, lifetimeOver);
    });
  }

  /**
   * Brings an application to its end: stored first, then the state changes. `target` FINISHING waits for its master's container.
   * Returns when the end is durable.
   */
  end(
    application: Application,
    target: 'FINISHING' | 'FINISHED' | 'FAILED' | 'KILLED',
    event: ApplicationEvent,
    diagnostics: string,
  ): Promise<void> {
    if (!this.apply(application, event)) return this.#ends.get(application.id) ?? Promise.resolve();
    const { clock } = this.#cluster;
    application.target = target;
    application.finishedMs = clock.now();
    if (diagnostics !== '') application.diagnostics = diagnostics;
    this.#cluster.timers.cancel(`lifetime ${application.id}`);
    const stored = this.#storeEnd(application, target);
    this.#ends.set(application.id, stored);
    return stored;
  }

  /** Keeps the end as it will be shown when nothing more is heard, and tries again until it is durable. */
  #storeEnd(application: Application, target: keyof typeof ends): Promise<void> {
    const { store, logger, timers } = this.#cluster;
    const state = target === 'FINISHING' ? 'FINISHED' : target;
    const attempts = application.attempts.map((attempt) => (attempt.state === 'FINAL_SAVING' ? { ...attempt, state } : attempt));
    const shown: Application = { ...application, state, attempts, scheduled: false };
    return store.putFinished(shown, this.#cluster.render(shown)).then(
      () => this.#ended(application, target),
      (error: unknown) => {
        logger.error({ err: error, applicationId: application.id }, 'the end of an application could not be stored');
        return new Promise<void>((done) => {
          timers.set(`end ${application.id}`, storeRetryMs, () => done(this.#storeEnd(application, target)));
        });
      },
    );
  }

  #ended(application: Application, target: keyof typeof ends): void {
    this.#ends.delete(application.id);
    this.apply(application, ends[target]);
    const attempt = currentAttempt(application);
    if (attempt) this.#cluster.attempts.finalStored(application, attempt);
    if (target !== 'FINISHING') this.release(application);
    else if (attempt && attempt.state === 'FINISHED') this.attemptFinished(application);
  }

  /** The master's container of a FINISHING application ended. */
  attemptFinished(application: Application): void {
    if (this.apply(application, 'attemptFinished')) this.release(application);
  }

  /** Keeps the application as it is now, then goes on; tries again for as long as that fails. */
  keep(application: Application, then: () => void): void {
    const { store, logger, timers } = this.#cluster;
    store.putLive(application).then(then, (error: unknown) => {
      logger.error({ err: error, applicationId: application.id }, 'an application could not be stored');
      timers.set(`keep ${application.id}`, storeRetryMs, () => this.keep(application, then));
    });
  }

  /** Frees everything an ended application held and tells the nodes. */
  release(application: Application): void {
    const { policy, places, tell } = this.#cluster;
    this.#cluster.containers.killAll(application, exitStatus.killedByResourceManager, 'Container killed by the ResourceManager');
    const attempt = currentAttempt(application);
    if (attempt) policy.removeAttempt(attempt.id, false);
    application.scheduled = false;
    if (application.admitted) policy.removeApplication(application.id);
    for (const node of places.take(application.id)) {
      node.send?.({ type: 'finishApplications', applicationIds: [application.id] });
      this.#cluster.removal.drained(node.id);
    }
    tell.applicationFinished(application);
    this.#cluster.scheduleSoon();
    this.keepFinished(application);
  }

  /** Stores what is known of an ended application again, and forgets it in memory once nothing more can come. */
  keepFinished(application: Application): void {
    const { store, clock, timers } = this.#cluster;
    application.version++;
    const open =
      application.logAggregationEnabled &&
      [...application.logAggregation.values()].some(
        ({ status }) => status === 'NOT_START' || status === 'RUNNING' || status === 'RUNNING_WITH_FAILURE',
      );
    const awaited = application.attempts.some((attempt) => attempt.containers.size > 0) || open;
    this.#settled.delete(application.id);
    store.putFinished(application, this.#cluster.render(application)).then(
      () => (awaited ? undefined : this.#settle(application.id)),
      () => undefined,
    );
    const waitMs = awaited ? 600_000 : 10_000;
    const overdueMs = Math.max(0, clock.now() - application.finishedMs - waitMs);
    timers.set(`forget ${application.id}`, Math.max(shortestMemoryMs, waitMs - overdueMs), () => this.#cluster.forget(application.id));
  }

  /** Bounds how many ended applications stay in memory although nothing more is awaited for them: the earliest is forgotten. */
  #settle(id: string): void {
    if (!this.#cluster.applications.has(id)) return;
    this.#settled.add(id);
    if (this.#settled.size <= maximumSettled) return;
    const [earliest] = this.#settled;
    if (earliest !== undefined) this.#cluster.forget(earliest);
  }

  /** An application left the memory. */
  forgotten(id: string): void {
    this.#settled.delete(id);
    this.#cluster.timers.cancel(`forget ${id}`);
  }

  /** Kills on a user's wish. Resolves when the end is durable; 'done' when there was nothing left to do. */
  async killByUser(application: Application, user: string | undefined, reason: string | undefined): Promise<'done' | 'begun'> {
    if (isFinalState[application.state]) return 'done';
    const unmanaged = application.submission.unmanaged;
    const killed = this.kill(application, killedByUser(application.id, user, reason));
    await killed;
    return unmanaged ? 'done' : 'begun';
  }

  /** Kills for the given reason. Resolves when the end is durable. */
  kill(application: Application, diagnostics: string): Promise<void> {
    if (application.state === 'NEW' || application.state === 'NEW_SAVING' || application.state === 'SUBMITTED')
      return this.end(application, 'KILLED', 'kill', diagnostics);
    if (!this.apply(application, 'kill')) return this.#ends.get(application.id) ?? Promise.resolve();
    application.diagnostics = diagnostics;
    const attempt = currentAttempt(application);
    if (attempt) this.#cluster.attempts.kill(application, attempt);
    return this.end(application, 'KILLED', 'attemptKilled', diagnostics);
  }

  /** Moves to another queue, with everything it holds. Resolves to the queue's shown name, or the refusal's text. */
  async move(application: Application, queue: string): Promise<{ moved: string } | { refused: string }> {
    const { policy } = this.#cluster;
    const result = policy.moveApplication?.(application.id, queue) ?? {
      refused: `${policy.names.className} does not support moving apps between queues`,
    };
    if ('refused' in result) return result;
    application.queue = result.moved;
    await this.#changed(application);
    return result;
  }

  /** Sets the priority; resolves to what holds now. */
  async setPriority(application: Application, priority: number): Promise<number> {
    application.priority = this.#cluster.policy.priorities.set(application.id, priority);
    await this.#changed(application);
    return application.priority;
  }

  /** Sets the end of life, cut to the queue's limit; undefined: unlimited (up to that limit). */
  async setLifetime(application: Application, expiryMs: number | undefined): Promise<void> {
    application.lifetimeExpiryMs = expiryMs;
    this.#limitLifetime(application, -1);
    this.watchLifetime(application);
    await this.#changed(application);
  }

  async #changed(application: Application): Promise<void> {
    application.version++;
    this.#cluster.tell.applicationUpdated(application);
    this.#cluster.scheduleSoon();
    await this.#cluster.store.putLive(application);
  }
}
