// Amounts of fair-scheduler.xml: whole numbers or parts of the cluster, in the three forms Hadoop reads (FairSchedulerConfiguration).
import type { Resource, ResourceTypes } from '../../model/resource.ts';
import { ConfigurationRefused } from '../policy.ts';

/** An amount that may be given as parts of the cluster. */
export interface ConfigurableAmount {
  readonly absolute?: Resource;
  /** Fractions of the cluster per type. */
  readonly parts?: readonly number[];
}

/** What a maximum does not name is not limited. */
export const unnamed = Number.MAX_SAFE_INTEGER;

/**
 * `1024 mb, 4 vcores`; `50% memory, 25% cpu` or `40%`; `memory-mb=1024, vcores=4` or `memory-mb=50%`, where `missing` stands for what is not named.
 * @throws ConfigurationRefused
 */
export function amountOf(text: string | undefined, types: ResourceTypes, missing: number): ConfigurableAmount | undefined {
  const trimmed = text?.trim().toLowerCase();
  if (!trimmed) return undefined;
  if (trimmed.includes('=')) return named(trimmed, types, missing);
  if (trimmed.includes('%')) return { parts: partsOf(trimmed, types, missing > 0 ? 1 : 0) };
  const memory = /(?<!\d)(-?\d+)(?:\.\d*)?\s*mb/.exec(trimmed) ?? /^(-?\d+)\s*,/.exec(trimmed);
  const vcores = /(?<!\d)(-?\d+)(?:\.\d*)?\s*vcores/.exec(trimmed) ?? /,\s*(-?\d+)$/.exec(trimmed);
  if (!memory || !vcores) throw invalid(text!);
  return { absolute: [whole(memory[1]!, text!), whole(vcores[1]!, text!), ...types.types.slice(2).map(() => missing)] };
}

const invalid = (text: string): ConfigurationRefused =>
  new ConfigurationRefused(`Error reading resource config--invalid resource definition: ${text}`, {
    remedy: 'Write "1024 mb, 4 vcores", "50% memory, 25% cpu" or "memory-mb=1024, vcores=4".',
  });

function whole(digits: string, text: string): number {
  const value = Number(digits);
  if (value < 0) throw new ConfigurationRefused(`${digits} of ${text.trim()} is below 0`, { remedy: 'Give amounts from 0 on.' });
  if (value > 2 ** 63)
    throw new ConfigurationRefused(`For input string: "${digits}"`, { remedy: 'Give a number that a cluster can have.' });
  return value;
}

function named(trimmed: string, types: ResourceTypes, missing: number): ConfigurableAmount {
  const asParts = trimmed.includes('%');
  const none = asParts && missing > 0 ? 1 : missing;
  const amounts = types.types.map(() => none);
  for (const piece of trimmed.split(',')) {
    const [key = '', value = ''] = piece.split('=').map((word) => word.trim());
    const index = types.indexOf(key === 'memory' ? 'memory-mb' : key);
    if (index === undefined) {
      throw new ConfigurationRefused(`Error reading resource config: ${key} of ${trimmed} is no resource`, {
        remedy: `The resources are ${types.types.map(({ name }) => name).join(', ')}; others are registered by yarn.resource-types.`,
      });
    }
    const digits = (asParts ? /^(-?[\d.]+)\s*%$/ : /^(-?[\d.]+)(?:[^\d.]\D*)?$/).exec(value)?.[1];
    if (digits === undefined || Number.isNaN(Number(digits))) throw invalid(trimmed);
    const number = whole(digits, trimmed);
    amounts[index] = asParts ? number / 100 : Math.trunc(number);
  }
  return asParts ? { parts: amounts } : { absolute: amounts };
}

function partsOf(text: string, types: ResourceTypes, missing: number): number[] {
  const all = /^\s*(-?[\d.]+)\s*%\s*$/.exec(text);
  if (all) return types.types.map(() => whole(all[1]!, text) / 100);
  return types.types.map(({ name }, i) => {
    const names = i === 0 ? 'memory' : i === 1 ? 'cpu' : name.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
    const found = new RegExp(`(-?[\\d.]+)\\s*%\\s*(?:${names})`).exec(text)?.[1];
    if (found === undefined && i < 2)
      throw new ConfigurationRefused(`Error reading resource config--invalid resource definition: missing ${names} in ${text}`);
    return found === undefined ? missing : whole(found, text) / 100;
  });
}

/** The amount in a cluster of this size. */
export function resolveAmount(amount: ConfigurableAmount, cluster: Resource): number[] {
  return amount.parts ? amount.parts.map((part, i) => Math.trunc(part * (cluster[i] ?? 0))) : [...amount.absolute!];
}
