// `allocate`, the one call of masters that waits: for its notes to be durable, then for news, or for what the scheduler makes of it. The state
// changes before and after the waiting, each time in a change of its own.
import type { Clock } from '../../lib/clock.ts';
import type { AllocateResponse } from '../../wire/cluster/master-protocol.ts';
import type { Application } from '../applications/application.ts';
import type { Attempt } from '../applications/attempt.ts';
import type { Effects } from './effects.ts';
import type { HeldContainers } from './held-containers.ts';
import type { MasterSession, MasterSessions } from './master-sessions.ts';
import type { MasterWatch } from './master-watch.ts';
import type { Masters, TakenRequest } from './masters.ts';
import type { SchedulingFigures } from './scheduling-figures.ts';
import type { ClusterState } from './state.ts';

/** A heartbeat of masters in Hadoop. */
const placementPaceMs = 1000;
/** Longest time in which what a call asks for is to be considered and what it is given to become durable. */
const considerationMs = 100;

/**
 * What a call waits for before its answer: news, for so many ms at most; or that the scheduler has considered what it asks for or gives back, and
 * what that gave is durable (`considered`): a master that comes once a second has at once what there is for it, not a second later.
 */
export type CallWait = number | 'considered';

/** What is needed. */
export interface MasterCallPorts {
  readonly effects: Pick<Effects, 'change'>;
  readonly state: Pick<ClusterState, 'ending'>;
  readonly sessions: Pick<MasterSessions, 'session' | 'allKept'>;
  /** Calls `done` when the scheduler has nothing left to decide; the returned function gives that up. */
  readonly whenIdle: (done: () => void) => () => void;
  readonly masters: Pick<Masters, 'take' | 'answer' | 'command' | 'isPlacing'>;
  readonly held: Pick<HeldContainers, 'heard' | 'heardBefore' | 'tells'>;
  readonly watch: Pick<MasterWatch, 'heard'>;
  readonly clock: Clock;
  readonly figures: Pick<SchedulingFigures, 'calls' | 'timed'>;
}

/** Answers masters. */
export class MasterCalls {
  readonly #ports: MasterCallPorts;

  constructor(ports: MasterCallPorts) {
    this.#ports = ports;
  }

  /**
   * Takes a master's requests, releases and progress, waits, answers. The same call again changes nothing. Rejects where
   * what must be remembered cannot be stored now: it will be when there is room, and the same call again is answered then.
   */
  async allocate(
    application: Application,
    attempt: Attempt,
    call: TakenRequest,
    wait: CallWait,
    signal: AbortSignal,
  ): Promise<AllocateResponse> {
    const { effects, figures } = this.#ports;
    // 1. What it asks for is taken, unless the call is a repetition or the master is to register first.
    const begun = figures.timed(figures.calls, () => effects.change(() => this.#begin(application, attempt, call)));
    if ('answer' in begun) return begun.answer;
    const { session } = begun;
    // 2. Its notes are durable, and that it has heard what the last answer told.
    if (session.kept) await durable(session.kept, session);
    // 3. There is news, or the scheduler has had its turn, or the master is answered anyway.
    if (wait === 'considered') await (mayBeGiven(call) ? this.#consideration(attempt.id) : undefined);
    else if (wait > 0 && isSilent(session)) await this.#news(session, this.#patienceMs(application, wait), signal);
    // 4. It is told everything that it does not know, once it is durable which ends those are.
    return effects.change(() => this.#finish(attempt, call, session));
  }

  #begin(
    application: Application,
    attempt: Attempt,
    call: TakenRequest,
  ): { answer: AllocateResponse | Promise<AllocateResponse> } | { session: MasterSession } {
    const { sessions, masters, held, watch } = this.#ports;
    const session = sessions.session(attempt.id);
    if (attempt.state === 'RUNNING') watch.heard(attempt);
    if (!session || attempt.state !== 'RUNNING') return { answer: this.#withoutSession(application, attempt, call) };
    const { lastResponse } = session;
    if (lastResponse && call.responseId === lastResponse.responseId - 1) return { answer: this.#leaving(attempt, lastResponse, session) };
    if (call.responseId !== attempt.responseId) return { answer: masters.command(attempt, 'resync') };
    const asked = JSON.stringify([
      call.responseId,
      call.requests,
      call.cancels,
      call.releases,
      call.notes,
      call.updates,
      call.blacklistAdditions,
      call.blacklistRemovals,
    ]);
    const isNew = session.taken !== asked;
    session.taken = asked;
    const told = session.heard ? [] : (lastResponse?.completed ?? []);
    session.heard = true;
    if (isNew) {
      const heard = held.heard(
        application,
        told.map(({ containerId }) => containerId),
        session.notYet,
      );
      const taken = masters.take(application, attempt, session, call);
      session.kept = heard ? Promise.all([heard, taken]) : taken;
    }
    return { session };
  }

  /** After a restart the number of a master's call says what it has heard before: it registers again once that is durable. */
  async #withoutSession(application: Application, attempt: Attempt, { responseId }: TakenRequest): Promise<AllocateResponse> {
    if (attempt.state === 'RUNNING') await this.#ports.held.heardBefore(application, attempt, responseId);
    return this.#outOfStep(attempt);
  }

  /** A master without a session registers again while its attempt runs; else it is over, once it is durable that its application ends (P2). */
  async #outOfStep(attempt: Attempt): Promise<AllocateResponse> {
    const { masters, state } = this.#ports;
    if (attempt.state === 'RUNNING') return masters.command(attempt, 'resync');
    await state.ending(attempt.applicationId);
    return masters.command(attempt, 'shutdown');
  }

  #finish(attempt: Attempt, call: TakenRequest, session: MasterSession): AllocateResponse | Promise<AllocateResponse> {
    const { sessions, masters, held, watch } = this.#ports;
    if (sessions.session(attempt.id) !== session) return this.#outOfStep(attempt);
    if (session.lastResponse && session.lastResponse.responseId > call.responseId)
      return this.#leaving(attempt, session.lastResponse, session);
    watch.heard(attempt);
    attempt.responseId = call.responseId + 1;
    const answer = masters.answer(attempt, session);
    session.lastResponse = answer;
    session.telling = held.tells(attempt, answer.completed, session.notYet);
    return this.#leaving(attempt, answer, session);
  }

  /**
   * The last answer of a session; where it tells ends, once it is durable that it does. If the session is over by then, its ends are told to who
   * comes after it, and not here (P6). Rejects when it is found that this cannot be stored now.
   */
  #leaving(attempt: Attempt, answer: AllocateResponse, session: MasterSession): AllocateResponse | Promise<AllocateResponse> {
    if (!session.telling) return answer;
    const isCurrent = () => this.#ports.sessions.session(attempt.id) === session;
    return durable(session.telling, session).then(() => (isCurrent() ? answer : this.#outOfStep(attempt)));
  }

  /** While the placement processor tries, masters are answered as often as they would come. */
  #patienceMs(application: Application, waitMs: number): number {
    return waitMs > placementPaceMs && this.#ports.masters.isPlacing(application) ? placementPaceMs : waitMs;
  }

  #consideration(attemptId: string): Promise<void> {
    const { whenIdle, sessions, clock } = this.#ports;
    return new Promise((done) => {
      const timer = clock.setTimer(considerationMs, () => {
        giveUp();
        done();
      });
      const giveUp = whenIdle(() => {
        void sessions.allKept(attemptId).then(() => {
          timer.cancel();
          done();
        });
      });
    });
  }

  #news(session: MasterSession, waitMs: number, signal: AbortSignal): Promise<void> {
    return new Promise((done) => {
      const timer = this.#ports.clock.setTimer(waitMs, () => finish());
      const finish = () => {
        timer.cancel();
        signal.removeEventListener('abort', finish);
        if (session.wake === finish) session.wake = undefined;
        done();
      };
      session.wake?.();
      session.wake = finish;
      signal.addEventListener('abort', finish, { once: true });
      if (signal.aborted) finish();
    });
  }
}

/** Resolves when what is to be remembered is durable; rejects when it is found that it cannot be stored now. */
function durable(kept: Promise<unknown>, { refusals }: MasterSession): Promise<unknown> {
  return new Promise<unknown>((done, refuse) => {
    const end = (settle: () => void) => {
      refusals.delete(notYet);
      settle();
    };
    const notYet = (error: unknown) => end(() => refuse(error));
    refusals.add(notYet);
    kept.then(() => end(() => done(undefined)), notYet);
  });
}

const isSilent = ({ allocations, completed, updated, updateErrors, instances }: MasterSession): boolean =>
  instances === undefined && [allocations, completed, updated, updateErrors].every(({ length }) => length === 0);

/** Whether something may be given for what a call says. */
const mayBeGiven = ({ requests = [], releases = [], updates = [] }: TakenRequest): boolean =>
  [requests, releases, updates].some(({ length }) => length > 0);
