// What a node offers to containers: what its settings say, until the resource manager gives it another size.
import { readFileSync } from 'node:fs';
import { cpus, totalmem } from 'node:os';
import type { nodeManagerSettings } from '../config/settings/node-manager.ts';
import { ConfigurationError, type SettingsOf } from '../config/table.ts';
import { convertUnits, isUnit, knownUnits, parseAmount } from '../model/units.ts';
import type { NodeResource } from '../wire/cluster/container-messages.ts';

const bytesPerMiB = 1024 * 1024;

/** The amounts that the node offers now. Only the connection to the resource manager changes them. */
export class NodeCapacity {
  #current: NodeResource;

  constructor(configured: NodeResource) {
    this.#current = configured;
  }

  get current(): NodeResource {
    return this.#current;
  }

  /** The resource manager gave the node another size. */
  change(resource: NodeResource): void {
    this.#current = resource;
  }
}

/**
 * What the settings say the node has (NodeManagerHardwareUtils). `typeUnits`: `NAME.units` → unit of a further resource type
 * (yarn.resource-types.NAME.units). @throws ConfigurationError for an amount that is none
 */
export function configuredResource(settings: SettingsOf<typeof nodeManagerSettings>, typeUnits: ReadonlyMap<string, string>): NodeResource {
  const detect = settings.detectHardware;
  const machineMiB = Math.floor(totalmem() / bytesPerMiB);
  const reserved = settings.systemReservedMemoryMiB >= 0 ? settings.systemReservedMemoryMiB : Math.floor(machineMiB * 0.2);
  const memoryMiB = settings.memoryMiB >= 0 ? settings.memoryMiB : detect ? Math.max(0, machineMiB - reserved) : 8192;
  const share = settings.physicalCpuLimitPercent / 100;
  const processors = settings.countLogicalProcessors ? cpus().length : physicalCores();
  const detected = Math.max(1, Math.floor(processors * share * settings.pcoresVcoresMultiplier));
  const vcores = settings.vcores >= 0 ? settings.vcores : detect ? detected : 8;
  const further = [...settings.resources].map(([name, value]) => {
    const given = parseAmount(value);
    if (!given)
      throw new ConfigurationError(
        'the settings of the node manager',
        `yarn.nodemanager.resource-type.${name}`,
        `${value} is no amount`,
        `Write a whole number, with a unit where wanted: one of ${knownUnits.join(' ')}.`,
      );
    const units = typeUnits.get(`${name}.units`) ?? '';
    return [name, isUnit(units) ? convertUnits(given.amount, given.unit, units) : given.amount] as const;
  });
  return { memoryMiB, vcores, ...Object.fromEntries(further) };
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
