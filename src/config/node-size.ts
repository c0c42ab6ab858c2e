// What the settings say a node has: amounts of their own, what is detected of the machine, or YARN's.
import { readFileSync } from 'node:fs';
import { cpus, totalmem } from 'node:os';
import type { nodeManagerSettings } from './settings/node-manager.ts';
import type { SettingsOf } from './table.ts';

const bytesPerMiB = 1024 * 1024;

/** Memory and cores that a node offers to containers (NodeManagerHardwareUtils). */
export function configuredSize(settings: SettingsOf<typeof nodeManagerSettings>): { readonly memoryMiB: number; readonly vcores: number } {
  const detect = settings.detectHardware;
  const machineMiB = Math.floor(totalmem() / bytesPerMiB);
  const reserved = settings.systemReservedMemoryMiB >= 0 ? settings.systemReservedMemoryMiB : Math.floor(machineMiB * 0.2);
  const memoryMiB = settings.memoryMiB >= 0 ? settings.memoryMiB : detect ? Math.max(0, machineMiB - reserved) : 8192;
  const share = settings.physicalCpuLimitPercent / 100;
  const processors = settings.countLogicalProcessors ? cpus().length : physicalCores();
  const detected = Math.max(1, Math.floor(processors * share * settings.pcoresVcoresMultiplier));
  return { memoryMiB, vcores: settings.vcores >= 0 ? settings.vcores : detect ? detected : 8 };
}

/** Cores that share no core with others (SysInfoLinux); all processors where the machine does not tell. */
function physicalCores(): number {
  const cores = new Set<string>();
  try {
    for (const block of readFileSync('/proc/cpuinfo', 'latin1').split(/\n\s*\n/)) {
      const core = /^core id\s*:\s*(\d+)/m.exec(block)?.[1];
      if (core !== undefined) cores.add(`${/^physical id\s*:\s*(\d+)/m.exec(block)?.[1]} ${core}`);
    }
  } catch {
    // No such file.
  }
  return cores.size || cpus().length;
}
