// Finds the GPUs of a machine by what `nvidia-smi -q -x` prints (GpuDiscoverer, GpuDeviceInformationParser).
import { execFile } from 'node:child_process';
import { statSync } from 'node:fs';
import { basename, join } from 'node:path';

/** One GPU as its driver describes it. Numbers that the driver does not give are absent. */
export interface GpuFacts {
  readonly productName: string;
  readonly uuid: string;
  readonly minorNumber: number;
  readonly utilizationPercent: number | undefined;
  readonly usedMemoryMiB: number | undefined;
  readonly freeMemoryMiB: number | undefined;
  readonly temperatureCelsius: number | undefined;
  readonly maximumTemperatureCelsius: number | undefined;
  readonly slowTemperatureCelsius: number | undefined;
}

/** All GPUs of a machine. */
export interface GpuReport {
  readonly driverVersion: string;
  readonly gpus: readonly GpuFacts[];
}

const executable = 'nvidia-smi';
const usualFolders = ['/usr/bin', '/bin', '/usr/local/nvidia/bin'];
const timeoutMs = 10_000;
const maximumOutputBytes = 16 * 1024 * 1024;

/** The discovery program: `configured` is the program or its folder, empty: the usual folders. Undefined when there is none. */
export function findDiscoveryProgram(configured: string | undefined): string | undefined {
  const places = configured
    ? [basename(configured) === executable ? configured : join(configured, executable)]
    : usualFolders.map((folder) => join(folder, executable));
  return places.find((place) => {
    try {
      return statSync(place).isFile();
    } catch {
      return false;
    }
  });
}

/** Asks the driver. Rejects when the program fails, takes longer than ten seconds or prints something else. */
export async function discoverGpus(program: string): Promise<GpuReport> {
  const output = await new Promise<string>((resolve, reject) => {
    const options = { timeout: timeoutMs, maxBuffer: maximumOutputBytes, env: { PATH: process.env['PATH'] ?? '/usr/bin:/bin' } };
    execFile(program, ['-q', '-x'], options, (error, stdout) => (error ? reject(error) : resolve(stdout)));
  });
  return parseGpuReport(output);
}

type Element = Readonly<Record<string, unknown>>;

/** Reads the program's XML. @throws Error when it is no report of GPUs. */
export async function parseGpuReport(xml: string): Promise<GpuReport> {
  const { XMLParser } = await import('fast-xml-parser');
  const parser = new XMLParser({
    parseTagValue: false,
    processEntities: false,
    isArray: (name, path) => name === 'gpu' && path === 'nvidia_smi_log.gpu',
  });
  const root = elementOf((parser.parse(xml, true) as Element)['nvidia_smi_log']);
  if (!root) throw new Error('the discovery program printed no nvidia_smi_log');
  const gpus = Array.isArray(root['gpu']) ? root['gpu'].map(elementOf).filter((gpu) => gpu !== undefined) : [];
  return { driverVersion: textOf(root['driver_version']) ?? 'N/A', gpus: gpus.map(factsOf) };
}

function factsOf(gpu: Element): GpuFacts {
  const inside = (group: string, name: string) => numberOf(elementOf(gpu[group])?.[name]);
  return {
    productName: textOf(gpu['product_name']) ?? 'N/A',
    uuid: textOf(gpu['uuid']) ?? 'N/A',
    minorNumber: numberOf(gpu['minor_number']) ?? -1,
    utilizationPercent: inside('utilization', 'gpu_util'),
    usedMemoryMiB: inside('fb_memory_usage', 'used'),
    freeMemoryMiB: inside('fb_memory_usage', 'free'),
    temperatureCelsius: inside('temperature', 'gpu_temp'),
    maximumTemperatureCelsius: inside('temperature', 'gpu_temp_max_threshold'),
    slowTemperatureCelsius: inside('temperature', 'gpu_temp_slow_threshold'),
  };
}

const elementOf = (value: unknown): Element | undefined => (typeof value === 'object' && value !== null ? (value as Element) : undefined);
const textOf = (value: unknown): string | undefined => (typeof value === 'string' && value !== '' ? value : undefined);

/** The number at the beginning of `34 C`, `12 %`, `1024 MiB`. */
function numberOf(value: unknown): number | undefined {
  const found = /^\d+(?:\.\d+)?/.exec(textOf(value) ?? '');
  return found ? Number(found[0]) : undefined;
}
