// Containers as sessions of processes of this machine, with another user's rights and in control groups where asked for.

import { bash } from '../../lib/bash.ts';
import type { ControlGroups } from '../control-groups/control-groups.ts';
import type { EngineOrder } from '../engine.ts';
import { launchEnvironment } from '../supervised/launch-environment.ts';
import type { ContainerRuntime } from '../supervised/runtime.ts';
import { SupervisedEngine, type SupervisedEngineOptions } from '../supervised/supervised-engine.ts';
import { switchingTo } from '../switch-user.ts';
import { concealing, entering } from './concealment.ts';
import type { Confinement } from './confinement.ts';

/** What a process engine needs. */
export interface ProcessEngineOptions extends SupervisedEngineOptions {
  /** Control groups for its containers; absent: processes are only watched. */
  readonly controlGroups?: ControlGroups;
  /** No program in a container gains rights by setuid or file capabilities (no_new_privs). */
  readonly noNewPrivileges?: boolean;
  /** What its containers cannot see, where they run as this process' own user; absent: they are in no namespace of their own. */
  readonly concealed?: readonly string[] | undefined;
  /** How its containers are confined, where they run as root; absent: not at all. */
  readonly confinement?: Confinement | undefined;
}

/** The command line before what reads files for the containers: it sees no more of this machine than they do. Empty: they see all that this process sees. */
export const readingFor = ({ confinement, concealed }: Pick<ProcessEngineOptions, 'confinement' | 'concealed'>): readonly string[] =>
  confinement?.reading ?? (concealed ? concealing(concealed) : []);

/** Starts the launcher and gives the engine. @throws Error when the folder cannot be made or written to */
export function createProcessEngine(options: ProcessEngineOptions): SupervisedEngine {
  const { noNewPrivileges, concealed, confinement } = options;
  const apart = confinement?.before ?? (concealed ? concealing(concealed) : []);
  const within = [...(noNewPrivileges ? noNewPrivilegesBefore : []), ...apart];
  return new SupervisedEngine({ ...options, within }, processRuntime(options));
}

function processRuntime({ controlGroups: groups, noNewPrivileges, confinement, clock }: ProcessEngineOptions): ContainerRuntime {
  return {
    name: 'process',
    async prepare(order) {
      const { containerId, workFolder } = order;
      const joins = groups ? await groups.create(containerId, order.limits, order.deniedDevices ?? []) : [];
      return { workFolder, joins, ...command(order) };
    },
    running: async (_containerId, pid) => ({ pid }),
    signal(_containerId, pid, signal) {
      try {
        process.kill(-pid, signal);
        return true;
      } catch {
        return false;
      }
    },
    async ended(containerId) {
      return (await groups?.end(containerId)) ?? {};
    },
    members: (containerIds) =>
      new Map(groups ? containerIds.flatMap((containerId) => groups.processes(containerId).map((pid) => [pid, containerId] as const)) : []),
    close: () => groups?.close(),
    rememberedContainers: () => groups?.list() ?? [],
    async enter(order, { pid, main, workFolder }) {
      const { containerId, identity, command } = order;
      return {
        joins: groups?.joins(containerId) ?? [],
        within: [
          ...(noNewPrivileges ? noNewPrivilegesBefore : []),
          ...(confinement ? confinement.entering(pid) : entering(pid)),
          ...(identity ? switchingTo(identity) : []),
        ],
        environment: await launchEnvironment(() => main, order, clock),
        workFolder,
        command,
      };
    },
    ...(groups && { resize: async (containerId, limits) => groups.resize(containerId, limits) }),
  };
}

/**
 * The command with its variables. Before the rights of another user are taken on, nothing that the order says may have an effect, so
 * its variables are read by that user's own shell then, from standard input (arguments could be seen by others).
 */
function command(order: EngineOrder): { command: string[]; variables: string[]; input: string } {
  const variables = Object.entries({ CONTAINER_ID: order.containerId, ...order.environment }).filter(
    ([name, value]) => /^[A-Za-z_][A-Za-z0-9_]*$/.test(name) && !value.includes('\0'),
  );
  if (!order.identity) return { command: ['.', order.script], variables: variables.map(([name, value]) => `${name}=${value}`), input: '' };
  const readVariables = 'while IFS= read -r; do eval "$REPLY"; done; unset REPLY; exec </dev/null; exec /bin/bash "$0"';
  return {
    command: [...switchingTo(order.identity), ...bash, '-c', readVariables, order.script],
    variables: [],
    input: variables.map(([name, value]) => `export ${name}=${quoted(value)}`).join('\n'),
  };
}

const noNewPrivilegesBefore = ['setpriv', '--no-new-privs'];

/** A value as one line that bash reads as it was. */
const quoted = (value: string) => `$'${value.replace(/[\\']/g, '\\$&').replaceAll('\n', '\\n')}'`;
