// What a node's settings say of runtimes, users and devices of containers, as far as the settings themselves tell whether it can be.
import type { Configuration } from './load.ts';
import { settingFault } from './setting-fault.ts';
import { engineSettings } from './settings/engines.ts';

/** Runtimes that there are; the last two are the same here. */
const runtimeNames: readonly string[] = ['default', 'runc', 'docker'];

/** Name of the resource type of GPUs. */
export const gpuResource = 'yarn.io/gpu';

/** A GPU by its number among all of the machine and the number of its device file. */
export interface Gpu {
  readonly index: number;
  readonly minorNumber: number;
}

/** The runtimes that containers may choose, in small letters, and that of those which choose none. @throws ConfigurationError for one that there is not */
export function containerRuntimes(configuration: Configuration): { readonly allowed: readonly string[]; readonly fallback: string } {
  const { allowedRuntimes, defaultRuntime } = configuration.values(engineSettings);
  const allowed = allowedRuntimes.map((name) => name.toLowerCase());
  const remedy = `Name ${runtimeNames.join(', ')}.`;
  const unknown = allowed.find((name) => !runtimeNames.includes(name));
  if (unknown !== undefined)
    throw settingFault(configuration, engineSettings.allowedRuntimes.key, `there is no runtime '${unknown}'`, remedy);
  if (!runtimeNames.includes(defaultRuntime))
    throw settingFault(configuration, engineSettings.defaultRuntime.key, `there is no runtime '${defaultRuntime}'`, remedy);
  return { allowed, fallback: defaultRuntime };
}

/** What names of users must look like who may run containers. @throws ConfigurationError for what is no regular expression */
export function userPattern(configuration: Configuration): RegExp {
  const { userPattern: text } = configuration.values(engineSettings);
  try {
    return new RegExp(text);
  } catch {
    throw settingFault(configuration, engineSettings.userPattern.key, `'${text}' is no regular expression`, 'Correct it.');
  }
}

/** Whether the node gives its GPUs to containers. @throws ConfigurationError for a plug-in that there is not */
export function givesGpus(configuration: Configuration): boolean {
  const { resourcePlugins } = configuration.values(engineSettings);
  const unknown = resourcePlugins.find((name) => name !== gpuResource);
  if (unknown !== undefined)
    throw settingFault(
      configuration,
      engineSettings.resourcePlugins.key,
      `there is no plug-in for '${unknown}'`,
      `Name ${gpuResource} or nothing; plain counts need no plug-in, write them as yarn.nodemanager.resource-type.NAME.`,
    );
  return resourcePlugins.length > 0;
}

/** The GPUs that containers may use; undefined: those that the machine has. @throws ConfigurationError for a list that cannot be read */
export function listedGpus(configuration: Configuration): readonly Gpu[] | undefined {
  const { gpusAllowed } = configuration.values(engineSettings);
  if (gpusAllowed === 'auto') return undefined;
  const wrong = (problem: string) =>
    settingFault(configuration, engineSettings.gpusAllowed.key, problem, "Write 'auto' or a list such as 0:0,1:1 of index:minor number.");
  const found: Gpu[] = [];
  for (const part of gpusAllowed.split(',').map((piece) => piece.trim())) {
    const match = /^(\d{1,6}):(\d{1,6})$/.exec(part);
    if (!match) throw wrong(`'${part}' is not the index and minor number of a GPU`);
    const gpu = { index: Number(match[1]), minorNumber: Number(match[2]) };
    if (found.some((other) => other.index === gpu.index || other.minorNumber === gpu.minorNumber))
      throw wrong(`GPU '${part}' is listed twice`);
    found.push(gpu);
  }
  return found;
}
