// What a master holds: containers that it was given and of whose end it has not heard. What it gives back, and what it says that it heard.
import { exitStatus } from '../../model/exit-status.ts';
import { isContainerOf } from '../../model/ids.ts';
import type { ResourceTypes } from '../../model/resource.ts';
import type { CompletedContainer } from '../../wire/cluster/master-protocol.ts';
import type { Application } from '../applications/application.ts';
import type { Attempt } from '../applications/attempt.ts';
import type { Container } from '../applications/container.ts';
import { releasedByMaster, unknownContainer } from '../applications/diagnostics.ts';
import { answerNumber } from '../applications/registrations.ts';
import type { ContainerEnds } from './container-ends.ts';
import type { Effects, Write } from './effects.ts';
import { endReport } from './end-report.ts';
import type { ExpectedContainers } from './expected-containers.ts';
import { type MasterSession, type MasterSessions, wasKnown } from './master-sessions.ts';
import type { ClusterState } from './state.ts';

/** What is needed to write for an application. */
export interface WritePorts {
  readonly state: Pick<ClusterState, 'application'>;
  readonly effects: Pick<Effects, 'persist'>;
}

/** Resolves when the write is durable; it is tried again for as long as the application is there. `notYet` hears each time why it could not be stored. */
export function storedWhileKnown(
  { effects, state }: WritePorts,
  applicationId: string,
  write: Write,
  notYet: (error: unknown) => void = () => undefined,
): Promise<void> {
  return new Promise((resolve) => {
    const failed = (error: unknown): 'again' | 'given up' => {
      notYet(error);
      if (state.application(applicationId)) return 'again';
      resolve();
      return 'given up';
    };
    effects.persist(write, { stored: resolve, failed });
  });
}

/** What is needed. */
export interface HeldContainerPorts extends WritePorts {
  readonly effects: Pick<Effects, 'persist' | 'follow'>;
  readonly sessions: Pick<MasterSessions, 'unheardEnds' | 'session' | 'heardBefore' | 'withhold'>;
  readonly expected: Pick<ExpectedContainers, 'of' | 'giveUp'>;
  readonly ends: Pick<ContainerEnds, 'stop'>;
  readonly types: ResourceTypes;
}

/** The containers that masters hold. */
export class HeldContainers {
  readonly #ports: HeldContainerPorts;

  constructor(ports: HeldContainerPorts) {
    this.#ports = ports;
  }

  /** What the attempt was given and has not been told the end of, as far as it is known to live (P4). */
  of(application: Application, attempt: Attempt): Container[] {
    const own = [...attempt.containers.values()].filter(({ isMaster, kept }) => !isMaster && kept);
    const expected = this.#ports.expected.of(application).map(({ container }) => container);
    return [...own, ...expected.filter(({ isMaster }) => !isMaster)];
  }

  /** What a master says that it heard is over is over for all: also where the order to stop it was lost. Answers those that are its own. */
  acknowledge(application: Application, attempt: Attempt, heardEnds: readonly string[]): ReadonlySet<string> {
    const { ends, expected } = this.#ports;
    const own = heardEnds.filter((containerId) => isContainerOf(application.id, containerId) && containerId !== attempt.masterContainerId);
    for (const containerId of own) {
      expected.giveUp(containerId, exitStatus.killedByMaster);
      const container = attempt.containers.get(containerId);
      if (container) ends.stop(container, exitStatus.killedByMaster, releasedByMaster);
    }
    return new Set(own);
  }

  /** An answer, the attempt's last, is about to tell these ends. Resolves when that is durable; undefined where nothing is kept of any. */
  tells(attempt: Attempt, completed: readonly CompletedContainer[], notYet: (error: unknown) => void): Promise<void> | undefined {
    const containerIds = completed.filter(wasKnown).map(({ containerId }) => containerId);
    const application = this.#ports.state.application(attempt.applicationId);
    if (containerIds.length === 0 || !application) return undefined;
    const { id: attemptId, responseId } = attempt;
    const toldIn = { attemptId, answer: answerNumber(attempt, responseId) };
    return storedWhileKnown(this.#ports, application.id, { kind: 'endsTold', application, containerIds, toldIn }, notYet);
  }

  /**
   * A master that has not registered with this process names the last answer that it got: it has heard what that one and those before it told.
   * Resolves when it is durable; undefined where they told nothing. Rejects where it cannot be stored; then nothing has changed.
   */
  heardBefore(application: Application, attempt: Attempt, responseId: number): Promise<void> | undefined {
    const { effects, sessions } = this.#ports;
    const containerIds = sessions.heardBefore(attempt, responseId);
    if (containerIds.length === 0) return undefined;
    return effects.follow({ kind: 'containersHeard', applicationId: application.id, application, containerIds }, () => {
      // Else it has registered meanwhile, which answered it otherwise.
      if (!sessions.session(attempt.id)) sessions.withhold(attempt.id, this.acknowledge(application, attempt, containerIds));
    });
  }

  /** The master has heard these ends: nothing is kept of the containers any more. Resolves when durable; undefined where there are none. */
  heard(application: Application, containerIds: readonly string[], notYet?: (error: unknown) => void): Promise<void> | undefined {
    if (containerIds.length === 0) return undefined;
    const { id: applicationId } = application;
    return storedWhileKnown(this.#ports, applicationId, { kind: 'containersHeard', applicationId, application, containerIds }, notYet);
  }

  /** Whatever a master gives back, it hears of its end: once (P6). Its own container it cannot give back. */
  release(attempt: Attempt, session: MasterSession, containerIds: readonly string[]): void {
    const { ends, expected, sessions, types } = this.#ports;
    const exitCode = exitStatus.killedByMaster;
    let unheard: ReadonlySet<string> | undefined;
    for (const containerId of new Set(containerIds)) {
      const container = attempt.containers.get(containerId);
      if (container?.isMaster || containerId === attempt.masterContainerId) continue;
      if (container) {
        ends.stop(container, exitCode, releasedByMaster);
        continue;
      }
      const waiting = expected.giveUp(containerId, exitCode);
      // Its node stops it when it comes back: nobody knows it then.
      if (waiting) session.completed.push(endReport({ ...waiting, exitCode, diagnostics: releasedByMaster }, types));
      else {
        unheard ??= new Set(sessions.unheardEnds(attempt.id).map((end) => end.containerId));
        if (!unheard.has(containerId)) session.completed.push({ ...nobodys, containerId, exitCode, diagnostics: unknownContainer });
      }
    }
  }
}

const nobodys = {
  nodeId: '',
  nodeHttpAddress: '',
  state: 'COMPLETE' as const,
  createdTime: 0,
  priority: 0,
  resource: { memoryMiB: 0, vcores: 0 },
};
