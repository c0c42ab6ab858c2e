// What happens to applications on their way up and while they live: submission, admission, the changes users ask for, the lifetime. How
// they end is in ends.ts.
import type { Clock } from '../../lib/clock.ts';
import { lastMs } from '../../lib/iso-time.ts';
import type { Logger } from '../../lib/log.ts';
import { Tally } from '../../lib/tally.ts';
import type { Timers } from '../../lib/timers.ts';
import { UnsavedValues } from '../../lib/unsaved-values.ts';
import type { Admission } from '../../scheduler/entries.ts';
import type { SchedulingPolicy } from '../../scheduler/policy.ts';
import type { Application } from '../applications/application.ts';
import { type ApplicationEvent, isCompletedState, nextApplicationState } from '../applications/application-states.ts';
import { lifetimeOver } from '../applications/diagnostics.ts';
import type { Submission } from '../applications/submission.ts';
import type { TakenKey } from '../applications/submission-keys.ts';
import type { Effects } from './effects.ts';
import type { EventFigures } from './event-figures.ts';
import { RefusedSubmissions } from './refused-submissions.ts';
import type { ClusterSettings } from './settings.ts';
import type { ClusterState } from './state.ts';

/** ms since the epoch; the last date that there is where the seconds lead beyond it. */
const endOfLife = (fromMs: number, seconds: number): number => Math.min(fromMs + seconds * 1000, lastMs);

/** A submission that was admitted. */
export interface AcceptedSubmission {
  readonly submission: Submission;
  readonly user: string;
  /** The queue that placement chose. */
  readonly queue: string;
  /** Whether a mapping rule chose it. */
  readonly mapped: boolean;
  /** The key under which it is submitted once; written with it. */
  readonly key?: Pick<TakenKey, 'kept' | 'dropped'> | undefined;
}

/** What of the scheduler applications need. */
export type ApplicationScheduling = Pick<
  SchedulingPolicy,
  'names' | 'addApplication' | 'moveApplication' | 'maximumLifetimeSecondsOf' | 'priorities'
>;

/** What follows elsewhere. */
export interface ApplicationSequels {
  /** The scheduler took the application in: its first attempt begins. */
  admitted(application: Application): void;
  /** The scheduler refuses it. */
  refused(application: Application, diagnostics: string): void;
  /** Its lifetime is over. */
  expired(application: Application, diagnostics: string): void;
}

/** What is needed. */
export interface ApplicationPorts {
  readonly state: ClusterState;
  readonly effects: Pick<Effects, 'persist' | 'publish' | 'durable' | 'wakeScheduler'>;
  readonly policy: ApplicationScheduling;
  readonly sequels: ApplicationSequels;
  readonly settings: ClusterSettings;
  readonly clock: Clock;
  readonly timers: Timers;
  readonly logger: Logger;
  readonly events: EventFigures;
}

/** A change on a user's wish that counts already. */
interface WishedChange<T> {
  readonly about: 'queue' | 'priority' | 'lifetime' | 'instances';
  readonly before: T;
  readonly after: T;
  /** Makes it another one. */
  set(value: T): void;
}

/** The lifecycle of applications. */
export class ApplicationLifecycle {
  readonly #ports: ApplicationPorts;
  readonly #refused: RefusedSubmissions;
  readonly #unsaved = new UnsavedValues<string>();
  /** By application: changes of which it is not certain yet what a restart would know. */
  readonly #unwritten = new Tally<string>();

  constructor(ports: ApplicationPorts) {
    this.#ports = ports;
    this.#refused = new RefusedSubmissions(ports);
  }

  /** Takes an event through the table; false where the state does not take it. */
  apply(application: Application, event: ApplicationEvent): boolean {
    const to = nextApplicationState(application.state, event);
    if (to === undefined) return false;
    const from = application.state;
    this.#ports.logger.debug({ applicationId: application.id, from, to, event }, 'an application changed its state');
    this.#ports.events.ofApplication(event, () => {
      this.#ports.state.enterState(application, to);
      application.version++;
      this.#ports.effects.publish({ about: 'applicationStateChanged', application, change: { event, from, to } });
    });
    return true;
  }

  /** Creates an application, whose id is free. Resolves when it is durable. */
  submit({ submission, user, queue, mapped, key }: AcceptedSubmission): Promise<void> {
    const { state, effects } = this.#ports;
    const id = submission.applicationId;
    const application = this.#newApplication(submission, user, queue);
    state.addApplication(application);
    this.apply(application, 'start');
    effects.publish({ about: 'applicationCreated', application });
    this.#refused.beforeWriting(id);
    const durable = new Promise<void>((resolve, reject) => {
      effects.persist(
        { kind: 'live', application, key },
        {
          stored: () => {
            state.setSubmission(id, undefined);
            this.admit(application, mapped, false);
            resolve();
          },
          failed: (error) => {
            // Its submitter hears of the failure: it may be submitted again. One that was killed meanwhile ends.
            state.setSubmission(id, undefined);
            if (application.state === 'NEW_SAVING') {
              state.removeApplication(application);
              this.#ports.events.add('application', 'APP_SAVE_FAILED');
              effects.publish({ about: 'submissionRefused', application });
              this.#refused.refused(id);
            }
            reject(error as Error);
            return 'given up';
          },
        },
      );
    });
    state.setSubmission(id, durable);
    return durable;
  }

  #newApplication(submission: Submission, user: string, queue: string): Application {
    const { settings, clock } = this.#ports;
    const nowMs = clock.now();
    const asked = submission.maximumAttempts;
    return {
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
      lifetimeExpiryMs: submission.lifetimeSeconds === undefined ? undefined : endOfLife(nowMs, submission.lifetimeSeconds),
      maximumLifetimeSeconds: -1,
      wantedInstances: undefined,
      resourceSeconds: { used: [0, 0], preempted: [0, 0], preemptedResource: [0, 0], preemptedMasters: 0, preemptedOthers: 0 },
      endedContainers: { succeeded: 0, failed: 0, stopped: 0 },
      uncountedEnds: new Set(),
      logAggregation: new Map(),
      logAggregationEnabled: settings.logAggregationEnabled,
      blacklistedBySystem: [],
      version: 1,
      submittedQueue: '',
      admitted: false,
      scheduled: false,
    };
  }

  /** Hands a stored application to the scheduler; one that is recovered in a later state only becomes known to it again. */
  admit(application: Application, mapped: boolean, recovering: boolean): void {
    const { sequels, state, events } = this.#ports;
    const isNew = application.state === 'NEW_SAVING';
    if (isNew) this.apply(application, 'stored');
    else if (!recovering) return;
    const admission = events.timed('scheduler', 'APP_ADDED', () => this.#offer(application, mapped, recovering));
    if (!admission.accepted) {
      state.setQueue(application, admission.queue);
      sequels.refused(application, admission.rejected);
      return;
    }
    application.admitted = true;
    state.setQueue(application, admission.queue);
    application.priority = admission.priority;
    application.maximumLifetimeSeconds = admission.maximumLifetimeSeconds;
    // Where it was before, its end is known: it may have been moved here from a queue without limits.
    if (isNew) this.#limitLifetime(application, admission.defaultLifetimeSeconds);
    this.#watchLifetime(application);
    if (!recovering) {
      application.submittedQueue = application.queue;
      this.#ports.effects.publish({ about: 'applicationAdmitted', application });
    }
    if (!isNew) return;
    this.apply(application, 'accepted');
    sequels.admitted(application);
  }

  #offer({ id, user, queue, priority, submittedMs, submission }: Application, mapped: boolean, recovering: boolean): Admission {
    return this.#ports.policy.addApplication({
      applicationId: id,
      user,
      queue,
      reservationId: submission.reservationId,
      priority,
      submitTimeMs: submittedMs,
      unmanaged: submission.unmanaged,
      labelExpression: submission.applicationLabelExpression,
      tags: submission.tags,
      mapped,
      recovering,
    });
  }

  // ---- changes on users' wish; each resolves when it is durable

  /** Moves to another queue, with everything it holds; or the refusal's text. */
  move(application: Application, queue: string): { moved: string; durable: Promise<void> } | { refused: string } {
    const { policy, state } = this.#ports;
    const result = policy.moveApplication?.(application.id, queue) ?? {
      refused: `${policy.names.className} does not support moving apps between queues`,
    };
    if ('refused' in result) return result;
    const before = application.queue;
    state.setQueue(application, result.moved);
    const moveTo = (wanted: string) => {
      const back = policy.moveApplication?.(application.id, wanted);
      if (back && 'moved' in back) state.setQueue(application, back.moved);
    };
    return { moved: result.moved, durable: this.#changed(application, { about: 'queue', before, after: result.moved, set: moveTo }) };
  }

  setPriority(application: Application, priority: number): Promise<void> {
    const { priorities } = this.#ports.policy;
    const set = (wanted: number) => {
      application.priority = priorities.set(application.id, wanted);
    };
    const before = application.priority;
    set(priority);
    return this.#changed(application, { about: 'priority', before, after: application.priority, set });
  }

  /** Sets the end of life, cut to the limit of the queue that it is in; undefined: unlimited (up to that limit). */
  setLifetime(application: Application, expiryMs: number | undefined): Promise<void> {
    const set = (wanted: number | undefined) => {
      application.lifetimeExpiryMs = wanted;
      this.#watchLifetime(application);
    };
    const before = application.lifetimeExpiryMs;
    application.lifetimeExpiryMs = expiryMs;
    // The queue's limit of now: it may be another queue, or have another limit, than at the submission.
    application.maximumLifetimeSeconds = this.#ports.policy.maximumLifetimeSecondsOf?.(application.queue) ?? -1;
    this.#limitLifetime(application, -1);
    this.#watchLifetime(application);
    return this.#changed(application, { about: 'lifetime', before, after: application.lifetimeExpiryMs, set });
  }

  /** How many instances of a run there are to be. Its master is told by the caller, once that is durable. */
  setInstances(application: Application, { before, after }: { readonly before: number; readonly after: number }): Promise<void> {
    const set = (wanted: number) => {
      application.wantedInstances = wanted;
    };
    set(after);
    return this.#changed(application, { about: 'instances', before, after, set });
  }

  /** Resolves when what holds of an application is durable, so that who asks for just that can be told; rejects where it cannot be stored. */
  settled(application: Application): Promise<void> {
    if (!this.#unwritten.has(application.id)) return Promise.resolve();
    return this.#ports.effects.durable({ kind: 'live', application });
  }

  /**
   * Keeps a change that counts at once; observers hear of it when it is durable. One that cannot be kept is taken back and refused. What holds
   * then is written until it is durable: a later write of the application may have had the change in it, and a queue may not take it back.
   */
  #changed<T>(application: Application, change: WishedChange<T>): Promise<void> {
    const { effects } = this.#ports;
    const unsaved = this.#unsaved.begin(`${application.id} ${change.about}`, change.before);
    const wasChanged = () => {
      application.version++;
      effects.wakeScheduler();
    };
    wasChanged();
    this.#unwritten.add(application.id);
    const isWritten = () => this.#unwritten.remove(application.id);
    return new Promise((resolve, reject) => {
      let isRefused = false;
      const stored = () => {
        isWritten();
        if (!isRefused) unsaved.kept(change.after);
        effects.publish({ about: 'applicationUpdated', application });
        resolve();
      };
      const failed = (error: unknown) => {
        if (!isRefused) {
          isRefused = true;
          unsaved.refused((before) => {
            if (isCompletedState[application.state]) return;
            change.set(before);
            wasChanged();
          });
          reject(error as Error);
        }
        if (!isCompletedState[application.state]) return 'again';
        isWritten();
        return 'given up';
      };
      effects.persist({ kind: 'live', application }, { stored, failed });
    });
  }

  // ---- the lifetime

  #limitLifetime(application: Application, defaultSeconds: number): void {
    if (application.lifetimeExpiryMs === undefined && defaultSeconds > 0)
      application.lifetimeExpiryMs = endOfLife(application.submittedMs, defaultSeconds);
    if (application.maximumLifetimeSeconds <= 0) return;
    const latest = endOfLife(application.submittedMs, application.maximumLifetimeSeconds);
    if (application.lifetimeExpiryMs === undefined || application.lifetimeExpiryMs > latest) application.lifetimeExpiryMs = latest;
  }

  #watchLifetime(application: Application): void {
    const { clock, timers, sequels } = this.#ports;
    const name = lifetimeTimer(application);
    timers.cancel(name);
    if (application.lifetimeExpiryMs === undefined) return;
    timers.set(name, application.lifetimeExpiryMs - clock.now(), () => {
      if (application.lifetimeExpiryMs !== undefined && clock.now() < application.lifetimeExpiryMs) this.#watchLifetime(application);
      else if (!isCompletedState[application.state]) sequels.expired(application, lifetimeOver);
    });
  }

  /** The application ends: its lifetime no longer matters. */
  endLifetime(application: Application): void {
    this.#ports.timers.cancel(lifetimeTimer(application));
  }
}

const lifetimeTimer = ({ id }: Application): string => `lifetime ${id}`;
