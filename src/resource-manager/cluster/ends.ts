// The ends of applications and of their attempts, each from top to bottom. Whatever brings an end about, `end` is the only way to it:
// the end is made durable first, and only then is anything freed or shown as ended (docs/protocol.md, P2).
import type { Clock } from '../../lib/clock.ts';
import { mayGoUnheard } from '../../lib/unheard.ts';
import { exitStatus } from '../../model/exit-status.ts';
import type { SchedulingPolicy } from '../../scheduler/policy.ts';
import { type Application, currentAttempt, type FinalTarget } from '../applications/application.ts';
import { type ApplicationEvent, isFinalState } from '../applications/application-states.ts';
import type { Attempt } from '../applications/attempt.ts';
import { isEndedAttempt } from '../applications/attempt-states.ts';
import {
  failedByUser,
  killedByUser,
  masterContainerExited,
  masterExpired,
  outOfAttempts,
  unmanagedFailed,
} from '../applications/diagnostics.ts';
import type { ApplicationLifecycle } from './applications.ts';
import type { AttemptLifecycle, FinishedMaster } from './attempts.ts';
import { type ContainerEnds, stoppedByResourceManager } from './container-ends.ts';
import type { Effects } from './effects.ts';
import type { EndedApplications } from './ended-applications.ts';
import type { ClusterSettings } from './settings.ts';
import type { ClusterState } from './state.ts';

/** What is needed. */
export interface EndPorts {
  readonly state: ClusterState;
  readonly effects: Pick<Effects, 'persist' | 'publish' | 'send' | 'wakeScheduler'>;
  readonly policy: Pick<SchedulingPolicy, 'removeAttempt' | 'removeApplication'>;
  readonly applications: ApplicationLifecycle;
  readonly attempts: AttemptLifecycle;
  readonly containers: ContainerEnds;
  readonly memory: EndedApplications;
  /** Withdraws everything that a master asked for. */
  readonly cancelRequests: (application: Application, attempt: Attempt) => void;
  /** Something of a node is gone: if it is draining and nothing needs it any more, it leaves. */
  readonly nodeFreed: (nodeId: string) => void;
  /** What the scheduler says of a waiting application. */
  readonly waitingText: (application: Application) => string | undefined;
  readonly settings: ClusterSettings;
  readonly clock: Clock;
}

const durableEvents = {
  FINISHING: 'finalStoredFinishing',
  FINISHED: 'finalStoredFinished',
  FAILED: 'finalStoredFailed',
  KILLED: 'finalStoredKilled',
} as const satisfies Record<FinalTarget, ApplicationEvent>;

/** Ends attempts and applications. */
export class Ends {
  readonly #ports: EndPorts;

  constructor(ports: EndPorts) {
    this.#ports = ports;
  }

  // ---- the end of an application

  /**
   * Ends an application. `target` FINISHING waits for the container of its master. Resolves when the end is durable, rejects when it could not
   * be written this time: then it is tried again without being asked. Nothing happens where the state does not take the event (it ends already).
   */
  end(application: Application, target: FinalTarget, event: ApplicationEvent, diagnostics: string): Promise<void> {
    const { state, effects, applications, clock } = this.#ports;
    // 1. Its end is decided: nothing else can happen to it any more. Clients still see the state before.
    if (!applications.apply(application, event)) return state.ending(application.id) ?? Promise.resolve();
    application.target = target;
    state.setFinished(application, clock.now());
    if (diagnostics !== '') application.diagnostics = diagnostics;
    applications.endLifetime(application);
    // 2. The end is written as it will be shown, tried until it is durable. A restart before that finds the application still ending.
    const firstTry = new Promise<void>((resolve, reject) => {
      let answer = { resolve, reject };
      const stored = (): void => {
        state.setEnding(application.id, undefined);
        // 3. It is durable: clients see the end.
        applications.apply(application, durableEvents[target]);
        // 4. The last attempt takes its final state, nothing is expected of its master any more.
        const attempt = currentAttempt(application);
        if (attempt?.state === 'FINAL_SAVING') this.#attemptDurable(application, attempt, target);
        // 5. What it held is freed: at once, or when its master's container ends (`masterEnded`).
        if (target !== 'FINISHING') this.#release(application);
        else if (attempt?.state === 'FINISHED') this.#masterGone(application);
        answer.resolve();
      };
      // Who waited hears why; who asks again waits for the next try.
      const failed = (error: unknown): 'again' => {
        const { reject: refuse } = answer;
        const { promise: nextTry, ...next } = Promise.withResolvers<void>();
        answer = next;
        this.#wrote(application, nextTry);
        refuse(error as Error);
        return 'again';
      };
      effects.persist({ kind: 'end', application, target }, { stored, failed });
    });
    this.#wrote(application, firstTry);
    return firstTry;
  }

  /** A try to write the application's end is under way. Nobody has to hear of its outcome. */
  #wrote(application: Application, outcome: Promise<void>): void {
    this.#ports.state.setEnding(application.id, mayGoUnheard(outcome));
  }

  #attemptDurable(application: Application, attempt: Attempt, target: FinalTarget): void {
    const { attempts, state } = this.#ports;
    attempts.apply(application, attempt, durableEvents[target]);
    // The container of a finishing master may be gone already; for ever, if it was lost while the end was written.
    if (target !== 'FINISHING') this.#attemptOver(application, attempt);
    else if (!state.container(attempt.masterContainerId ?? '')) this.#attemptFinished(application, attempt);
    else attempts.finishing(application, attempt);
  }

  #attemptFinished(application: Application, attempt: Attempt): void {
    this.#ports.attempts.apply(application, attempt, 'containerEnded');
    this.#attemptOver(application, attempt);
  }

  #attemptOver(application: Application, attempt: Attempt): void {
    this.#ports.attempts.silence(attempt);
    this.#ports.effects.publish({ about: 'attemptFinished', application, attempt });
  }

  /** The container of a finishing application's master ended. */
  #masterGone(application: Application): void {
    if (this.#ports.applications.apply(application, 'attemptFinished')) this.#release(application);
  }

  /** Frees everything that an ended application held. */
  #release(application: Application): void {
    const { state, effects, policy, containers, memory, nodeFreed } = this.#ports;
    // 6. Its containers are stopped, and the scheduler forgets it: its room and its place in the queue are free.
    containers.stopAll(application);
    const attempt = currentAttempt(application);
    // One that failed is forgotten already.
    if (attempt && application.scheduled) policy.removeAttempt(attempt.id, false);
    application.scheduled = false;
    if (application.admitted) policy.removeApplication(application.id);
    effects.wakeScheduler();
    // 7. Its nodes clean up after it, and one that only waited for its end may leave.
    for (const node of state.takePlaces(application.id)) {
      effects.send(node.id, { type: 'finishApplications', applicationIds: [application.id] });
      nodeFreed(node.id);
    }
    // 8. Observers hear of the end. It is written once more with what became known since, and forgotten when nothing more can come.
    effects.publish({ about: 'applicationFinished', application });
    memory.keep(application);
  }

  // ---- what brings an application to its end

  /** The scheduler does not take it in (any more: `recovered` ones are killed). */
  refused(application: Application, diagnostics: string): void {
    if (application.state === 'SUBMITTED') void this.end(application, 'FAILED', 'rejected', diagnostics);
    else void this.kill(application, diagnostics);
  }

  /** Kills on a user's wish; undefined where its end is durable already, else what resolves when it is. */
  killByUser(application: Application, user: string | undefined, reason: string | undefined, address?: string): Promise<void> | undefined {
    if (isFinalState[application.state]) return undefined;
    return this.kill(application, killedByUser(application.id, user, reason, address));
  }

  /** Kills for the given reason. Resolves when the end is durable. */
  kill(application: Application, diagnostics: string): Promise<void> {
    const { state, applications } = this.#ports;
    if (application.state === 'NEW' || application.state === 'NEW_SAVING' || application.state === 'SUBMITTED')
      return this.end(application, 'KILLED', 'kill', diagnostics);
    if (!applications.apply(application, 'kill')) return state.ending(application.id) ?? Promise.resolve();
    application.diagnostics = diagnostics;
    const attempt = currentAttempt(application);
    if (attempt) this.#killAttempt(application, attempt);
    return this.end(application, 'KILLED', 'attemptKilled', diagnostics);
  }

  #killAttempt(application: Application, attempt: Attempt): void {
    const { attempts } = this.#ports;
    const before = attempt.state;
    this.#stopWaiting(application, attempt);
    if (!attempts.apply(application, attempt, 'kill')) return;
    if (before === 'FINISHING') return;
    if (before === 'LAUNCHED' || before === 'RUNNING') attempt.progress = 1;
    attempts.closed(application, attempt, 'KILLED');
  }

  /** The last that the scheduler said of a master that still waits stays to be read. */
  #stopWaiting(application: Application, attempt: Attempt): void {
    const { state, waitingText } = this.#ports;
    attempt.launchDiagnostics = waitingText(application) ?? attempt.launchDiagnostics;
    state.setWaiting(application, false);
  }

  /** The master says it is done, perhaps again. Resolves when the end is durable; undefined where it is already, or the attempt's state does not take it. */
  unregister(application: Application, attempt: Attempt, last: FinishedMaster): Promise<void> | undefined {
    const { attempts, cancelRequests } = this.#ports;
    if (!attempts.unregistered(application, attempt, last))
      return attempt.registered ? this.#ports.state.ending(application.id) : undefined;
    cancelRequests(application, attempt);
    return this.end(application, application.submission.unmanaged ? 'FINISHED' : 'FINISHING', 'unregistered', last.diagnostics);
  }

  // ---- the end of an attempt

  /** The master was silent for too long. */
  masterExpired(application: Application, attempt: Attempt): void {
    // What it said last is being written.
    if (attempt.state === 'FINAL_SAVING') return;
    if (attempt.state === 'FINISHING') this.masterEnded(application, attempt, exitStatus.invalid, '', true);
    else this.#fail(application, attempt, 'fail', masterExpired(attempt.id), exitStatus.invalid, true);
  }

  /** Fails an attempt on a user's wish, if it is not over. Resolves when it is durable that it is, or that its application ended with it. */
  failByUser(application: Application, attempt: Attempt): Promise<void> {
    const { state, effects } = this.#ports;
    if (attempt === currentAttempt(application)) this.#fail(application, attempt, 'fail', failedByUser, exitStatus.invalid, true);
    const ending = state.ending(application.id);
    if (ending) return ending;
    return new Promise((resolve, reject) => {
      const failed = (error: unknown): 'given up' => {
        reject(error);
        return 'given up';
      };
      effects.persist({ kind: 'live', application }, { stored: resolve, failed });
    });
  }

  /** The master's container is gone. `started` false: its node never had it, so another attempt does no harm (P9). */
  masterEnded(application: Application, attempt: Attempt, exitCode: number, diagnostics: string, started: boolean): void {
    if (attempt.state === 'FINISHING') {
      attempt.exitCode = exitCode;
      this.#attemptFinished(application, attempt);
      this.#masterGone(application);
      return;
    }
    if (isEndedAttempt[attempt.state]) return;
    const page = this.#ports.settings.applicationPage(application.id);
    this.#fail(application, attempt, 'containerEnded', masterContainerExited(attempt.id, exitCode, diagnostics, page), exitCode, started);
  }

  /** Ends an attempt as FAILED; another one follows, or the application fails with it. */
  #fail(
    application: Application,
    attempt: Attempt,
    event: 'fail' | 'containerEnded',
    diagnostics: string,
    exitCode: number,
    started: boolean,
  ): void {
    const { state, effects, policy, applications, attempts, containers } = this.#ports;
    if (attempt.state === 'FINAL_SAVING') {
      // A container that is stopped because its attempt ended says nothing new.
      if (application.target === 'FINISHING') attempt.exitCode = exitCode;
      return;
    }
    // 1. The attempt is over, and counts as a failure where the exit says so.
    const wasRegistered = attempt.registered;
    this.#stopWaiting(application, attempt);
    if (!attempts.apply(application, attempt, event)) return;
    attempt.exitCode = exitCode;
    attempts.closed(application, attempt, 'FAILED');
    attempt.diagnostics = diagnostics;
    if (!wasRegistered) attempt.progress = 0;
    attempts.countFailure(application, attempt, event, exitCode);
    const counted = attempts.countedFailures(application);
    const another = mayTryAgain(application, counted, started);
    const keepsContainers = another && application.submission.keepContainers;
    // 2. Its master's container is stopped, and every other one unless the next attempt takes them over.
    const master = state.container(attempt.masterContainerId ?? '');
    if (master) containers.stop(master, exitStatus.killedByResourceManager, stoppedByResourceManager);
    policy.removeAttempt(attempt.id, keepsContainers);
    application.scheduled = false;
    if (!keepsContainers) containers.stopAll(application);
    // 3. Without another attempt the application fails with it.
    if (!another) {
      void this.end(application, 'FAILED', 'attemptFailed', this.#failureText(application, counted, diagnostics));
      return;
    }
    // 4. Else the next one begins. That is kept where it can be; a restart without it begins one too.
    attempts.apply(application, attempt, 'finalStoredFailed');
    effects.publish({ about: 'attemptFinished', application, attempt });
    applications.apply(application, 'attemptRetried');
    attempts.create(application);
    effects.persist({ kind: 'live', application }, { failed: () => 'given up' });
  }

  #failureText({ id, submission, maximumAttempts }: Application, counted: number, diagnostics: string): string {
    if (submission.unmanaged) return unmanagedFailed(id, diagnostics);
    const limits = {
      own: maximumAttempts,
      global: this.#ports.settings.maximumAttempts,
      intervalMs: submission.failuresValidityIntervalMs,
    };
    return outOfAttempts(id, Math.max(counted, 1), limits, diagnostics);
  }
}

/** Whether another attempt follows a failed one. One whose container its node never had does no harm, even where one is all there may be. */
const mayTryAgain = ({ submission, maximumAttempts, state }: Application, counted: number, started: boolean): boolean =>
  !submission.unmanaged && counted < maximumAttempts && (maximumAttempts > 1 || !started) && (state === 'ACCEPTED' || state === 'RUNNING');
