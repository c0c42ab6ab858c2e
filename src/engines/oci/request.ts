// What an order says about its runtime: YARN's variables YARN_CONTAINER_RUNTIME_… (DockerLinuxContainerRuntime, RuncContainerRuntime).
import { realpath } from 'node:fs/promises';
import { isAbsolute, normalize, sep } from 'node:path';
import type { EngineOrder } from '../engine.ts';

/** A folder or file of the machine that is shown in the container. */
export interface Bind {
  readonly source: string;
  readonly target: string;
  readonly readOnly: boolean;
}

/** An order's wishes, checked. */
export interface RuntimeRequest {
  readonly image: string;
  readonly binds: readonly Bind[];
  /** Paths in the container that hold memory only. */
  readonly memoryFolders: readonly string[];
  readonly network: 'host' | 'none';
  readonly hostname: string | undefined;
}

/** What the operator allows. */
export interface RuntimeRules {
  readonly defaultImage: string | undefined;
  readonly networks: readonly string[];
  readonly defaultNetwork: string;
  /** `SOURCE:TARGET` that every container gets. */
  readonly defaultReadOnlyMounts: readonly string[];
  readonly defaultReadWriteMounts: readonly string[];
  /** Paths of the machine that orders may mount, and that they may mount for writing. */
  readonly readOnlyMounts: readonly string[];
  readonly readWriteMounts: readonly string[];
}

const prefix = 'YARN_CONTAINER_RUNTIME_';
const mountForm = /^([^:]+):([^:]+)(?::(ro|rw)(?:\+(?:r?shared|r?slave|r?private))?)?$/;

/** Reads the variables. Rejects with words for the user when one asks for what is not allowed or cannot be done. */
export async function readRequest(order: EngineOrder, rules: RuntimeRules): Promise<RuntimeRequest> {
  const variables = order.runtime ?? {};
  const kind = variables[`${prefix}TYPE`] === 'runc' ? 'RUNC' : 'DOCKER';
  const value = (name: string): string | undefined => {
    const text = variables[`${prefix}${kind}_${name}`]?.trim();
    return text === '' ? undefined : text;
  };
  const image = value('IMAGE') ?? rules.defaultImage;
  if (image === undefined) throw new Error(`${prefix}${kind}_IMAGE not set!`);
  if (/^true$/i.test(value('RUN_PRIVILEGED_CONTAINER') ?? '')) throw new Error('Privileged containers are not allowed on this node.');
  if (/^true$/i.test(value('RUN_OVERRIDE_DISABLE') ?? ''))
    throw new Error(`${prefix}${kind}_RUN_OVERRIDE_DISABLE: the start command of an image cannot be used on this node.`);
  if (value('CONTAINER_PID_NAMESPACE') === 'host') throw new Error('The process numbers of the machine are not shown to containers.');
  if (value('PORTS_MAPPING') !== undefined) throw new Error('Ports are not mapped: use the network host.');
  const network = value('CONTAINER_NETWORK') ?? rules.defaultNetwork;
  if (!rules.networks.includes(network)) throw new Error(`Disallowed network specified for container: '${network}'.`);
  if (network !== 'host' && network !== 'none') throw new Error(`The network '${network}' cannot be made on this node: use host or none.`);
  const hostname = value('CONTAINER_HOSTNAME');
  if (hostname !== undefined && !/^[A-Za-z0-9][A-Za-z0-9_.-]{0,62}$/.test(hostname)) throw new Error(`Invalid hostname: '${hostname}'.`);
  const binds: Bind[] = [
    ...rules.defaultReadOnlyMounts.map((text) => readDefaultMount(text, true)),
    ...rules.defaultReadWriteMounts.map((text) => readDefaultMount(text, false)),
  ];
  for (const text of list(value('MOUNTS'))) binds.push(await readMount(text, order, rules));
  const memoryFolders = list(value('TMPFS_MOUNTS')).map((target) => checkTarget(target, target));
  return { image, binds, memoryFolders, network, hostname };
}

const list = (text: string | undefined): string[] =>
  (text ?? '')
    .split(',')
    .map((part) => part.trim())
    .filter(Boolean);

function readDefaultMount(text: string, readOnly: boolean): Bind {
  const [source = '', target = '', more] = text.split(':');
  if (!isAbsolute(source) || more !== undefined) throw new Error(`The node's own mount '${text}' is not SOURCE:TARGET.`);
  return { source, target: checkTarget(target, text), readOnly };
}

async function readMount(text: string, order: EngineOrder, rules: RuntimeRules): Promise<Bind> {
  const found = /\0/.test(text) ? null : mountForm.exec(text);
  if (!found) throw new Error(`Unable to parse the mount '${text}': write SOURCE:TARGET or SOURCE:TARGET:ro.`);
  const [, source = '', target = '', mode] = found;
  // A mount without a mode can be written to, as in YARN.
  const readOnly = mode === 'ro';
  if (!isAbsolute(source)) {
    const resource = order.resources?.[source];
    if (resource === undefined) throw new Error(`Mount must be absolute, or the name of a local resource: '${source}'.`);
    if (!readOnly) throw new Error(`A local resource can be mounted for reading only: '${source}'.`);
    return { source: resource, target: checkTarget(target, text), readOnly };
  }
  const real = await realpath(source).catch(() => {
    throw new Error(`Mount '${source}' does not exist on this node.`);
  });
  const allowed = readOnly ? [...rules.readOnlyMounts, ...rules.readWriteMounts] : rules.readWriteMounts;
  for (const path of allowed) {
    const permitted = await realpath(path).catch(() => undefined);
    if (permitted !== undefined && (real === permitted || real.startsWith(permitted.endsWith(sep) ? permitted : permitted + sep)))
      return { source: real, target: checkTarget(target, text), readOnly };
  }
  throw new Error(`Disallowed mount '${source}'${readOnly ? '' : ' for writing'}.`);
}

function checkTarget(target: string, text: string): string {
  if (!isAbsolute(target) || target.split('/').includes('..') || normalize(target) === '/')
    throw new Error(`The target of the mount '${text}' must be an absolute path below /.`);
  return normalize(target);
}
