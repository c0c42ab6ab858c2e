// The containers of an application: those that run, from the resource manager; those that ended, from the application history.
import { endedContainers } from '../client/container-logs.ts';
import { isFinalApplicationState } from '../model/application-states.ts';
import { exitMeaning } from '../model/exit-status.ts';
import { applicationIdOfContainer, InvalidId, parseContainerId } from '../model/ids.ts';
import type { ContainerInfo } from '../wire/cluster/attempt.ts';
import { commandMaster } from '../wire/cluster/command-job.ts';
import type { Connection } from './connection.ts';
import { CommandFailure } from './failure.ts';
import { formatDuration, formatMemory, formatTime, printNote } from './output.ts';

/** A container, as commands show it. */
export interface ListedContainer {
  readonly id: string;
  readonly attemptId: string;
  /** Whether the application's master runs in it. */
  readonly role: 'master' | 'task';
  /** Of a run, as far as its container lives or ended within the hour: which instance it is for, and which try of it. */
  readonly instance?: number;
  readonly tryNumber?: number;
  readonly state: string | undefined;
  /** Once it has ended. */
  readonly exitStatus?: number;
  readonly nodeId: string | undefined;
  readonly memoryMiB: number;
  readonly vcores: number;
  readonly priority: number;
  /** ms since the epoch. */
  readonly startedTime: number;
  readonly elapsedMs: number;
  readonly diagnostics: string;
}

const ended = 'COMPLETE';

/** Numbers come as texts from one of the servers. */
function listed(container: ContainerInfo, id: string, attemptId: string, masterId: string | undefined): ListedContainer {
  const isEnded = container.containerState === ended;
  return {
    id,
    attemptId,
    role: id === masterId ? 'master' : 'task',
    state: container.containerState,
    ...(isEnded ? { exitStatus: Number(container.containerExitStatus) } : {}),
    nodeId: container.assignedNodeId ?? container.nodeId,
    memoryMiB: Number(container.allocatedMB ?? 0),
    vcores: Number(container.allocatedVCores ?? 0),
    priority: Number(container.priority ?? 0),
    startedTime: Number(container.startedTime ?? 0),
    elapsedMs: Number(container.elapsedTime ?? 0),
    diagnostics: container.diagnosticsInfo ?? '',
  };
}

const missedHistory = new WeakSet<Connection>();

/** The containers of an attempt that the application history knows. Where it does not answer that is said, once: what it knows is missing then. */
export async function containersOfHistory(connection: Connection, id: string, attemptId: string): Promise<readonly ContainerInfo[]> {
  const { timelineUrl: url, credentials } = connection;
  const found = await endedContainers({ url, ...credentials }, id, attemptId);
  if (found === undefined && !missedHistory.has(connection)) {
    missedHistory.add(connection);
    printNote(
      `heddle: the application history at ${url} does not answer: containers that ended are not known here\n` +
        '  Start it with "heddle start timeline", or set yarn.timeline-service.webapp.address to where it is.\n',
    );
  }
  return found ?? [];
}

/** The containers of an application, oldest first; with `endedToo` those too that the history knows. */
export async function containersOf(connection: Connection, id: string, endedToo: boolean): Promise<ListedContainer[]> {
  const { cluster } = connection;
  const { state } = await cluster.application(id);
  const found = new Map<string, ListedContainer>();
  for (const { appAttemptId: attemptId, containerId: masterId } of await cluster.attempts(id)) {
    if (attemptId === undefined) continue;
    const add = (container: ContainerInfo): void => {
      const { containerId } = container;
      if (containerId !== undefined) found.set(containerId, listed(container, containerId, attemptId, masterId));
    };
    if (endedToo) for (const container of await containersOfHistory(connection, id, attemptId)) add(container);
    // The resource manager knows better how those are that it still has.
    if (!isFinalApplicationState(state)) for (const container of await cluster.containers(id, attemptId)) add(container);
  }
  return [...found.values()].sort((a, b) => (a.id < b.id ? -1 : 1));
}

/** The containers of an application, with what those of a run are for. */
export async function placedContainersOf(connection: Connection, id: string, endedToo: boolean): Promise<ListedContainer[]> {
  const { cluster } = connection;
  const found = await containersOf(connection, id, endedToo);
  if ((await cluster.application(id)).applicationType !== commandMaster.type) return found;
  const known = new Map((await cluster.life(id)).containers.map((container) => [container.id, container]));
  return found.map((container) => {
    const { instance, tryNumber } = known.get(container.id) ?? {};
    return instance === undefined || tryNumber === undefined ? container : { ...container, instance, tryNumber };
  });
}

/** What a container is for. */
export function roleText({ role, instance, tryNumber = 1 }: ListedContainer): string {
  if (instance === undefined) return role;
  return `instance ${instance}${tryNumber > 1 ? `, try ${tryNumber}` : ''}`;
}

/** The application that a container's id names. @throws CommandFailure */
export function applicationOf(containerId: string): string {
  try {
    parseContainerId(containerId);
    return applicationIdOfContainer(containerId);
  } catch (error) {
    if (!(error instanceof InvalidId)) throw error;
    throw new CommandFailure(
      `'${containerId}' is no id of a container`,
      'Ids of containers look like container_1700000000000_0001_01_000001.',
      2,
    );
  }
}

/** Headings for `containerRow`. */
export const containerHead = ['CONTAINER', 'ROLE', 'STATE', 'NODE', 'MEMORY', 'VCORES', 'PRIORITY', 'STARTED', 'TIME', 'ENDED'];

/** One container as a row of a table. */
export function containerRow(container: ListedContainer): (string | number | undefined)[] {
  return [
    container.id,
    roleText(container),
    container.state,
    container.nodeId,
    formatMemory(container.memoryMiB),
    container.vcores,
    container.priority,
    formatTime(container.startedTime),
    formatDuration(container.elapsedMs),
    container.exitStatus === undefined ? undefined : exitMeaning(container.exitStatus),
  ];
}
