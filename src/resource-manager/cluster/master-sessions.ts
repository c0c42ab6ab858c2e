// What is kept for each master between its calls: what it is still to be told, and its waiting poll. Sessions are lost with the process,
// after which masters are told to register again (docs/protocol.md, P6: which ends they are told then).
import type { PlacementConstraint } from '../../model/placement-constraint.ts';
import type { ResourceTypes } from '../../model/resource.ts';
import type { LaunchContext } from '../../wire/cluster/launch-context.ts';
import type { AllocateResponse, CompletedContainer } from '../../wire/cluster/master-protocol.ts';
import type { Application } from '../applications/application.ts';
import { isCompletedState } from '../applications/application-states.ts';
import type { Attempt } from '../applications/attempt.ts';
import { isEndedAttempt } from '../applications/attempt-states.ts';
import type { Container } from '../applications/container.ts';
import { beginSession, hasAnswer } from '../applications/registrations.ts';
import type { ToldIn } from '../store/resource-manager-store.ts';
import type { Effects, Sleeper } from './effects.ts';
import { endReport } from './end-report.ts';
import { LaunchTable } from './launch-table.ts';
import type { ClusterState } from './state.ts';

/** How a container was changed (ContainerUpdateType). */
export type ContainerUpdateType = 'INCREASE_RESOURCE' | 'DECREASE_RESOURCE' | 'PROMOTE_EXECUTION_TYPE' | 'DEMOTE_EXECUTION_TYPE';

/** A change of a container that was carried out. */
export interface ContainerChange {
  readonly container: Container;
  readonly updateType: ContainerUpdateType;
}

/** A change that is refused: of which container, of what kind, and Hadoop's word for the reason. */
type UpdateError = NonNullable<AllocateResponse['updateErrors']>[number];

/** The session of one registered master. Its `wake` answers the waiting poll. */
export interface MasterSession extends Sleeper {
  /** By request: what its containers run. */
  readonly launches: LaunchTable;
  /** The name of the registration that began it, where that had one. */
  readonly registrationId: string | undefined;
  /** By allocation tag: what was registered for requests with the tag. */
  constraints: ReadonlyMap<string, PlacementConstraint>;
  allocations: Container[];
  updated: ContainerChange[];
  updateErrors: UpdateError[];
  /** By request: answers since it was made in which it had no place. */
  readonly tries: Map<string, number>;
  completed: CompletedContainer[];
  /** How many instances its user wants, which the next answer tells. */
  instances: number | undefined;
  lastResponse: AllocateResponse | undefined;
  /** Resolves when it is durable which ends that answer tells, before which it does not leave; undefined where it tells none. */
  telling: Promise<unknown> | undefined;
  /** The master asked again after the last answer: it has it. */
  heard: boolean;
  /** The call whose requests were taken and which is not answered yet: the same one again changes nothing. */
  taken: string | undefined;
  /** Resolves when the notes of that call are durable. */
  kept: Promise<unknown> | undefined;
  /** Those who wait for one of the two: they hear why it is not yet so. */
  readonly refusals: Set<(error: unknown) => void>;
  /** Tells them. */
  readonly notYet: (error: unknown) => void;
}

/** The sessions of all masters. */
export class MasterSessions {
  readonly #state: ClusterState;
  readonly #effects: Pick<Effects, 'wake' | 'persist'>;
  readonly #types: ResourceTypes;
  /** By attempt. */
  readonly #sessions = new Map<string, MasterSession>();
  /** By attempt: containers that are being kept. */
  readonly #kept = new Map<string, Set<Promise<void>>>();
  /** By attempt: ends of containers for a master that has not registered (again) yet. */
  readonly #early = new Map<string, CompletedContainer[]>();
  /** By application: ended containers that its last master may not have heard of. */
  readonly #unheard = new Map<string, CompletedContainer[]>();
  /** By attempt, until its master registers: ends that an earlier process told, with the numbers of the answers. */
  readonly #toldBefore = new Map<string, { readonly containerId: string; readonly answer: number }[]>();

  constructor(state: ClusterState, effects: Pick<Effects, 'wake' | 'persist'>, types: ResourceTypes) {
    this.#state = state;
    this.#effects = effects;
    this.#types = types;
  }

  session(attemptId: string): MasterSession | undefined {
    return this.#sessions.get(attemptId);
  }

  /**
   * Begins the session of a master (again): what it asked before is forgotten, it asks anew, and hears of the ends that it missed, but for
   * those that it says it has `heard`. Returns the containers that it was given and not told of: the answer to its registration lists them.
   * Its calls are numbered on from `attempt.responseId`.
   */
  open(
    attempt: Attempt,
    constraints: ReadonlyMap<string, PlacementConstraint> | undefined,
    heard: ReadonlySet<string> = new Set(),
    registrationId?: string,
  ): readonly Container[] {
    const former = this.#sessions.get(attempt.id);
    const completed = this.unheardEnds(attempt.id).filter(({ containerId }) => !heard.has(containerId));
    if (former) this.#effects.wake(former);
    const refusals = new Set<(error: unknown) => void>();
    this.#sessions.set(attempt.id, {
      launches: new LaunchTable(),
      registrationId,
      constraints: constraints ?? former?.constraints ?? new Map(),
      allocations: [],
      updated: [],
      updateErrors: [],
      tries: new Map(),
      completed,
      instances: undefined,
      lastResponse: undefined,
      telling: undefined,
      heard: false,
      taken: undefined,
      kept: undefined,
      refusals,
      notYet(error) {
        for (const refuse of refusals) refuse(error);
      },
      wake: undefined,
    });
    this.#early.delete(attempt.id);
    this.#toldBefore.delete(attempt.id);
    attempt.responseId = beginSession(attempt, registrationId);
    return former?.allocations ?? [];
  }

  /** Ends the session; a waiting poll is answered. */
  close(attemptId: string): void {
    this.#toldBefore.delete(attemptId);
    const session = this.#sessions.get(attemptId);
    if (!session) return;
    this.#sessions.delete(attemptId);
    // What nobody knew was the matter of the master that gave it back.
    const unheard = unheardOf(session).filter(wasKnown);
    const applicationId = this.#state.attempt(attemptId)?.application.id;
    if (applicationId !== undefined && unheard.length > 0) this.#unheard.set(applicationId, [...unheard]);
    this.#effects.wake(session);
  }

  /** The next attempt takes over what runs: its master hears of the ends that the one before may have missed. */
  inherit(applicationId: string, attemptId: string): void {
    const unheard = this.#unheard.get(applicationId);
    this.#unheard.delete(applicationId);
    if (unheard) this.#early.set(attemptId, unheard);
  }

  /** Ends that the attempt's master is still to be told, or was told in an answer of which it is not known that it came. */
  unheardEnds(attemptId: string): readonly CompletedContainer[] {
    const session = this.#sessions.get(attemptId);
    return [...(session ? unheardOf(session) : []), ...(this.#early.get(attemptId) ?? [])];
  }

  /** An earlier process told the end of a container; nobody acknowledged that to it. */
  toldBefore(containerId: string, { attemptId, answer }: ToldIn): void {
    const before = this.#toldBefore.get(attemptId);
    if (before) before.push({ containerId, answer });
    else this.#toldBefore.set(attemptId, [{ containerId, answer }]);
  }

  /** The ends that an earlier process told in the answer that a master names as its last one, or before that: it has heard them. */
  heardBefore(attempt: Attempt, responseId: number): readonly string[] {
    const told = this.#toldBefore.get(attempt.id) ?? [];
    return told.filter(({ answer }) => hasAnswer(attempt, responseId, answer)).map(({ containerId }) => containerId);
  }

  /** Of these ends the master is not to be told (again) when it registers. */
  withhold(attemptId: string, containerIds: ReadonlySet<string>): void {
    const early = this.#early.get(attemptId);
    if (!early) return;
    const left = early.filter(({ containerId }) => !containerIds.has(containerId));
    if (left.length > 0) this.#early.set(attemptId, left);
    else this.#early.delete(attemptId);
  }

  /** A container for one of the master's requests; false where no master is there to hear of it. */
  give(attempt: Attempt, container: Container): boolean {
    const session = this.#sessions.get(attempt.id);
    if (!session || attempt.state !== 'RUNNING') return false;
    session.allocations.push(container);
    this.#effects.wake(session);
    return true;
  }

  /** The ids of the containers of which the next answer tells the master that it has them. */
  toBeGiven(attemptId: string): ReadonlySet<string> {
    return new Set(this.#sessions.get(attemptId)?.allocations.map(({ id }) => id));
  }

  /** What the master wants run in a container that is given for the request; undefined where it starts them itself. */
  launchOf(attemptId: string, requestId: string): LaunchContext | undefined {
    return this.#sessions.get(attemptId)?.launches.take(requestId);
  }

  /** A container of the master is of another type or size now. */
  updated(attemptId: string, change: ContainerChange): void {
    const session = this.#sessions.get(attemptId);
    if (!session) return;
    session.updated.push(change);
    this.#effects.wake(session);
  }

  /** A container of the master is over. */
  completed(attemptId: string, container: Container): void {
    this.tellEnd(attemptId, endReport(container, this.#types));
  }

  /** An end for the next answer; for the next registration where the master has not come (back) yet. Where none will: nothing is kept of it. */
  tellEnd(attemptId: string, report: CompletedContainer): void {
    const session = this.#sessions.get(attemptId);
    if (session) {
      session.completed.push(report);
      this.#effects.wake(session);
      return;
    }
    const { application, attempt } = this.#state.attempt(attemptId) ?? {};
    // With the end of an application nothing is kept of its containers.
    if (!application || !attempt || isCompletedState[application.state]) return;
    if (isEndedAttempt[attempt.state] || attempt.state === 'FINAL_SAVING' || attempt.state === 'FINISHING')
      return this.forgetContainer(application.id, report.containerId);
    const waiting = this.#early.get(attemptId);
    if (waiting) waiting.push(report);
    else this.#early.set(attemptId, [report]);
  }

  /** Nobody is to hear of a container: nothing of it is kept. `forgotten` is called when that is durable, or does not matter any more. */
  forgetContainer(applicationId: string, containerId: string, forgotten: () => void = () => undefined): void {
    const failed = () => {
      if (this.#state.application(applicationId)) return 'again';
      forgotten();
      return 'given up';
    };
    const application = this.#state.application(applicationId);
    this.#effects.persist(
      { kind: 'containersHeard', applicationId, application, containerIds: [containerId] },
      { stored: forgotten, failed },
    );
  }

  /** A container is being kept for what an attempt's master asked; the returned function says that it is clear what became of it. */
  keeping(attemptId: string): () => void {
    const { promise, resolve } = Promise.withResolvers<void>();
    const pending = this.#kept.get(attemptId) ?? new Set();
    this.#kept.set(attemptId, pending.add(promise));
    return () => {
      pending.delete(promise);
      if (pending.size === 0 && this.#kept.get(attemptId) === pending) this.#kept.delete(attemptId);
      resolve();
    };
  }

  /** Resolves when it is clear what became of all containers that are being kept for an attempt now. */
  allKept(attemptId: string): Promise<unknown> {
    return Promise.all([...(this.#kept.get(attemptId) ?? [])]);
  }

  /** Drops what is kept for an application that is forgotten. */
  forget(application: Application): void {
    for (const { id } of application.attempts) {
      this.close(id);
      this.#early.delete(id);
    }
    this.#unheard.delete(application.id);
  }

  /** How much is kept. */
  sizes(): { readonly earlyReports: number; readonly sessions: number; readonly toldBefore: number } {
    return { earlyReports: this.#early.size, sessions: this.#sessions.size, toldBefore: this.#toldBefore.size };
  }
}

/** Whether an end is of a container that a master was given, not of one that was unknown when it was given back. */
export const wasKnown = ({ nodeId }: CompletedContainer): boolean => nodeId !== '';

const unheardOf = ({ heard, lastResponse, completed }: MasterSession): readonly CompletedContainer[] => [
  ...(heard ? [] : (lastResponse?.completed ?? [])),
  ...completed,
];
