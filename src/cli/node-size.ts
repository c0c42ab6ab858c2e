// What a node offers where nobody said it: without a folder of settings, what its machine has. With one, YARN's 8 GiB and 8 cores, as Hadoop.
import { availableParallelism, totalmem } from 'node:os';
import type { Configuration } from '../config/load.ts';
import { engineSettings } from '../config/settings/engines.ts';
import { nodeManagerSettings } from '../config/settings/node-manager.ts';
import { schedulerSettings } from '../config/settings/scheduler.ts';

/** Memory that containers may be given, and processors. */
export interface MachineSize {
  readonly memoryMiB: number;
  readonly processors: number;
}

const bytesPerMiB = 2 ** 20;
/** The part of the memory that stays with the system: as much as YARN leaves it where it detects the machine. */
const systemShare = 0.2;
/** What is offered at least: room for a master and what it asks for. */
export const smallestMiB = 1024;
/**
 * Virtual cores that are offered at least: cores are shared by time, and each small command takes two of them, its master's and its own. Where time is cut by
 * them, YARN's number (decision 42).
 */
const fewestCores = 32;
const fewestCoresThatCut = 8;

/** What this process may use: the machine, or less where its control group or its processors are limited. */
export function usableMachine(constrainedBytes = process.constrainedMemory(), totalBytes = totalmem()): MachineSize {
  // 0, or more than there is: there is no limit.
  const bytes = constrainedBytes > 0 ? Math.min(constrainedBytes, totalBytes) : totalBytes;
  return { memoryMiB: Math.floor(bytes / bytesPerMiB), processors: availableParallelism() };
}

/** Whether the settings leave to Heddle what a node offers, but for what they say of it: there is no folder of them, and detection is not named. */
export const isSizeLeftOpen = (configuration: Configuration): boolean =>
  configuration.confDir === undefined && !configuration.origin(nodeManagerSettings.detectHardware.key);

/** The largest container of a cluster whose nodes have this size: as large as one of them, and no smaller than YARN's, as far as no setting says it. */
export function largestContainer(configuration: Configuration, size: Readonly<Record<string, string>>): Record<string, string> {
  const pairs = [
    [schedulerSettings.maximumMemoryMiB, nodeManagerSettings.memoryMiB],
    [schedulerSettings.maximumVcores, nodeManagerSettings.vcores],
  ] as const;
  const values = configuration.values(schedulerSettings);
  const usual = {
    [schedulerSettings.maximumMemoryMiB.key]: values.maximumMemoryMiB,
    [schedulerSettings.maximumVcores.key]: values.maximumVcores,
  };
  return Object.fromEntries(
    pairs.flatMap(([largest, offered]) => {
      const amount = Number(size[offered.key] ?? 0);
      return configuration.origin(largest.key) || amount <= usual[largest.key]! ? [] : [[largest.key, String(amount)]];
    }),
  );
}

/** What one node offers, or each of several on this machine, as far as no setting says it: a part of what it has less what the system keeps. */
export function sizeOfNode(configuration: Configuration, nodes: number, machine = usableMachine()): Record<string, string> {
  const { systemReservedMemoryMiB: reserved, physicalCpuLimitPercent } = configuration.values(nodeManagerSettings);
  const fewest = configuration.values(engineSettings).cpuStrict ? fewestCoresThatCut : fewestCores;
  const left = machine.memoryMiB - (reserved >= 0 ? reserved : Math.floor(machine.memoryMiB * systemShare));
  const cores = Math.max(fewest, (machine.processors * physicalCpuLimitPercent) / 100);
  const size = {
    [nodeManagerSettings.memoryMiB.key]: Math.max(smallestMiB, Math.floor(left / nodes)),
    [nodeManagerSettings.vcores.key]: Math.max(1, Math.floor(cores / nodes)),
  };
  const open = Object.entries(size).filter(([key]) => !configuration.origin(key));
  return Object.fromEntries(open.map(([key, amount]) => [key, String(amount)]));
}
