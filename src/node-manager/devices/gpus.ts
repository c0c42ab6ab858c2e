// The GPUs of a node that containers may use, and which container has which (GpuResourceAllocator). A container sees those it was given and no other:
// by the variables that CUDA and the NVIDIA container tools obey, and by its control group where the engine can.
import type { Gpu } from '../../config/engine-rules.ts';
import { engineSettings } from '../../config/settings/engines.ts';
import { ConfigurationError } from '../../config/table.ts';
import type { DeviceNumber } from '../../engines/engine.ts';
import type { Clock } from '../../lib/clock.ts';
import type { Logger } from '../../lib/log.ts';
import { discoverGpus, findDiscoveryProgram, type GpuReport } from './gpu-discovery.ts';

/** Keeps over a restart which container has which GPUs. */
export interface DeviceStore {
  saveDevices(containerId: string, indices: readonly number[]): void;
  removeDevices(containerId: string): void;
}

/** What GPUs need. */
export interface GpuOptions {
  /** Those that containers may use; undefined: all that the machine has. */
  readonly allowed: readonly Gpu[] | undefined;
  /** The discovery program or its folder; undefined: the usual places. */
  readonly discoveryPath: string | undefined;
  readonly store: DeviceStore;
  /** What an earlier process of the node manager gave to containers. */
  readonly recovered: ReadonlyMap<string, readonly number[]>;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** Major number of the device files /dev/nvidiaN. */
const deviceMajor = 195;
/** How long a container waits for GPUs of one that is just ending, as in Hadoop. */
const waitMs = 10_000;
/** How long what the driver said is shown. */
const reportAgeMs = 5_000;

/** Finds the GPUs. @throws ConfigurationError when the settings cannot be carried out. */
export async function openGpus(options: GpuOptions): Promise<Gpus> {
  const program = findDiscoveryProgram(options.discoveryPath);
  let report: GpuReport | undefined;
  let reason = 'nvidia-smi was not found';
  if (program) {
    try {
      report = await discoverGpus(program);
    } catch (error) {
      reason = error instanceof Error ? error.message : String(error);
    }
  }
  if (!report && options.allowed === undefined)
    throw new ConfigurationError(
      'node-manager',
      engineSettings.gpuDiscoveryPath.key,
      `the GPUs of this machine could not be found: ${reason}`,
      `Name nvidia-smi or its folder there, or list the GPUs in ${engineSettings.gpusAllowed.key}.`,
    );
  if (!report) options.logger.warn({ reason }, 'GPUs are used as the settings list them; the driver could not be asked');
  const gpus = options.allowed === undefined ? report!.gpus.map(({ minorNumber }, index) => ({ index, minorNumber })) : options.allowed;
  return new Gpus(gpus, report, program, options);
}

/** Gives GPUs to containers and takes them back. */
export class Gpus {
  /** All that containers may use. */
  readonly all: readonly Gpu[];
  readonly #options: GpuOptions;
  readonly #program: string | undefined;
  readonly #owners = new Map<number, string>();
  #waiting: (() => void)[] = [];
  #report: GpuReport | undefined;
  #reportedMs: number;

  constructor(all: readonly Gpu[], report: GpuReport | undefined, program: string | undefined, options: GpuOptions) {
    this.all = all;
    this.#report = report;
    this.#program = program;
    this.#options = options;
    this.#reportedMs = options.clock.steadyMs();
    for (const [containerId, indices] of options.recovered)
      for (const index of indices) if (all.some((gpu) => gpu.index === index)) this.#owners.set(index, containerId);
  }

  /** The GPUs of a container. */
  of(containerId: string): Gpu[] {
    return this.all.filter(({ index }) => this.#owners.get(index) === containerId);
  }

  /** Who has which. */
  assigned(): (Gpu & { readonly containerId: string })[] {
    return this.all.flatMap((gpu) => {
      const containerId = this.#owners.get(gpu.index);
      return containerId === undefined ? [] : [{ ...gpu, containerId }];
    });
  }

  /** Gives a container `count` GPUs, once; waits a little for those of ending containers. Rejects when there are not enough. */
  async acquire(containerId: string, count: number, ending: AbortSignal): Promise<void> {
    if (this.of(containerId).length > 0 || count <= 0) return;
    let expired = false;
    const timer = this.#options.clock.setTimer(waitMs, () => {
      expired = true;
      this.#wake();
    });
    const wake = () => this.#wake();
    ending.addEventListener('abort', wake);
    try {
      for (;;) {
        const free = this.all.filter(({ index }) => !this.#owners.has(index));
        if (free.length >= count) {
          const given = free.slice(0, count).map(({ index }) => index);
          for (const index of given) this.#owners.set(index, containerId);
          this.#options.store.saveDevices(containerId, given);
          return;
        }
        if (ending.aborted || expired || count > this.all.length)
          throw new Error(`Failed to find enough GPUs, requestor=${containerId}, #RequestedGPUs=${count}, #AvailableGPUs=${free.length}`);
        await new Promise<void>((resolve) => this.#waiting.push(resolve));
      }
    } finally {
      timer.cancel();
      ending.removeEventListener('abort', wake);
    }
  }

  /** Takes back what a container has. */
  release(containerId: string): void {
    const held = this.of(containerId);
    if (held.length === 0) return;
    for (const { index } of held) this.#owners.delete(index);
    this.#options.store.removeDevices(containerId);
    this.#wake();
  }

  /** Takes back what containers have that are no more. */
  keepOnly(isKnown: (containerId: string) => boolean): void {
    for (const containerId of new Set(this.#owners.values())) if (!isKnown(containerId)) this.release(containerId);
  }

  #wake(): void {
    for (const resolve of this.#waiting.splice(0)) resolve();
  }

  /** The variables that show a container its GPUs and hide all others. */
  variables(containerId: string): [string, string][] {
    const indices = this.of(containerId).map(({ index }) => index);
    return [
      // Otherwise CUDA numbers devices by their speed.
      ['CUDA_DEVICE_ORDER', 'PCI_BUS_ID'],
      ['CUDA_VISIBLE_DEVICES', indices.join(',')],
      ['NVIDIA_VISIBLE_DEVICES', indices.length === 0 ? 'void' : indices.join(',')],
    ];
  }

  /** Device files of the GPUs that a container was not given. */
  denied(containerId: string): DeviceNumber[] {
    return this.all
      .filter(({ index }) => this.#owners.get(index) !== containerId)
      .map(({ minorNumber }) => ({ type: 'c', major: deviceMajor, minor: minorNumber }));
  }

  /** What the driver says now; the last known when it says nothing. */
  async report(): Promise<GpuReport | undefined> {
    const { clock, logger } = this.#options;
    if (this.#program && clock.steadyMs() - this.#reportedMs >= reportAgeMs) {
      this.#reportedMs = clock.steadyMs();
      try {
        this.#report = await discoverGpus(this.#program);
      } catch (error) {
        logger.warn({ err: error }, 'the driver of the GPUs could not be asked');
      }
    }
    return this.#report;
  }
}
