// Sizes of nodes from `dynamic-resources.xml` (DynamicResourceConfiguration): they count instead of what the nodes say, from their
// registration on, and are read again on request.
import { join } from 'node:path';
import type { Resource, ResourceTypes } from '../model/resource.ts';
import { parseHadoopXml, readOptionalFile } from './hadoop-xml.ts';
import { ConfigurationError } from './table.ts';

/** What the file says of a node; amounts it does not name stay the node's own. */
export interface DynamicResource {
  /** By index of the resource type. */
  readonly amounts: ReadonlyMap<number, number>;
  /** As in a change of the node's resource: -1 takes nothing from what runs. */
  readonly overcommitTimeoutMs: number;
}

export const dynamicResourceFile = 'dynamic-resources.xml';
const prefix = 'yarn.resource.dynamic.';

/** The file of a folder of settings; empty without one. @throws ConfigurationError for amounts that are none */
export function readDynamicResources(confDir: string | undefined, types: ResourceTypes): Map<string, DynamicResource> {
  const path = confDir === undefined ? undefined : join(confDir, dynamicResourceFile);
  const text = path === undefined ? undefined : readOptionalFile(path);
  const found = new Map<string, DynamicResource>();
  if (text === undefined) return found;
  const values = new Map(parseHadoopXml(text, dynamicResourceFile, path).map(({ key, value }) => [key, value.trim()]));
  const whole = (key: string, least: number): number | undefined => {
    const value = values.get(key);
    if (value === undefined) return undefined;
    if (!/^-?\d{1,15}$/.test(value) || Number(value) < least)
      throw new ConfigurationError(dynamicResourceFile, key, `${value} is no amount`, `Write a whole number from ${least}.`);
    return Number(value);
  };
  for (const node of (values.get(`${prefix}nodes`) ?? '').split(',').map((name) => name.trim())) {
    if (node === '') continue;
    const amounts = new Map<number, number>();
    types.types.forEach(({ name }, index) => {
      const amount = whole(`${prefix}${node}.${index === 0 ? 'memory' : index === 1 ? 'vcores' : name}`, 0);
      if (amount !== undefined) amounts.set(index, amount);
    });
    found.set(node, { amounts, overcommitTimeoutMs: whole(`${prefix}${node}.overcommittimeout`, -1) ?? -1 });
  }
  return found;
}

/** What a node offers when the file has its say. */
export const withDynamic = (reported: Resource, { amounts }: DynamicResource): number[] =>
  reported.map((amount, index) => amounts.get(index) ?? amount);
