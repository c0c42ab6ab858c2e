// `heddle node labels|resource|decommission|recommission|refresh-resources`: what a node is given, and whether it belongs to the cluster.
import type { Command } from 'commander';
import { type ClusterClient, many } from '../client/cluster-client.ts';
import { NodeLabels } from '../client/node-labels.ts';
import type { NodeInfo } from '../wire/cluster/node.ts';
import { memoryMiB, readResources } from './amounts.ts';
import { connect, talk } from './connection.ts';
import { CommandFailure } from './failure.ts';
import { type ClusterFlags, wholeNumber, withClusterOptions } from './options.ts';
import { formatMemory, printJson, printNote, printTable, printText } from './output.ts';

/** All states of nodes, for who wants to see those that are away, too. */
export const anyState = 'NEW,RUNNING,UNHEALTHY,DECOMMISSIONING,DECOMMISSIONED,LOST,REBOOTED,SHUTDOWN';

const nodeText = 'its id, host:port';

/** Registers these commands below `heddle node`. */
export function addNodeChanges(node: Command): void {
  withClusterOptions(
    node.command('labels').argument('[node]', 'host:port, or a host for all its nodes').argument('[label]', 'the label it gets'),
  )
    .description('list nodes with their labels, or give a node its label')
    .option('--none', 'take its label away')
    .action(labels);
  withClusterOptions(node.command('resource').argument('<node>', nodeText))
    .description('change what a node offers, until it is changed again')
    .option('--memory <amount>', 'such as 8g', memoryMiB)
    .option('--vcores <count>', 'virtual cores', wholeNumber(0, 1_000_000))
    .option('--resource <NAME=COUNT...>', 'amount of a further resource type, such as yarn.io/gpu=1')
    .option('--timeout <seconds>', 'end containers that do not fit any more after so long (default: never)', wholeNumber(0, 31_536_000))
    .action(resource);
  withClusterOptions(node.command('decommission').argument('<node>', nodeText))
    .description('take a node out of the cluster at once, with its containers; "drain" lets it finish')
    .action(decommission);
  withClusterOptions(node.command('refresh-resources'))
    .description('read dynamic-resources.xml again: what nodes offer')
    .action(refreshNodeResources);
}

async function labels(
  node: string | undefined,
  label: string | undefined,
  flags: ClusterFlags & { readonly none?: boolean },
): Promise<void> {
  if (flags.none && (node === undefined || label !== undefined))
    throw new CommandFailure('--none takes the label of one node away', 'Give the node, and no label.', 2);
  const { cluster } = connect(flags);
  const client = new NodeLabels(cluster.http);
  if (node !== undefined && (label !== undefined || flags.none)) {
    await talk(() => client.place(node, label));
    if (label === undefined) await noteAbsence(node, cluster);
    else await noteAbsence(node, cluster, '; it has the label once it comes');
    if (flags.json) return printJson({ node, label: label ?? '' });
    return printText(label === undefined ? `${node} has no label any more.\n` : `${node} has the label ${label}.\n`);
  }
  const placed = [...(await talk(() => client.placements()))].filter(
    ([id]) => node === undefined || id === node || id.split(':')[0] === node,
  );
  if (node !== undefined && placed.length === 0) await noteAbsence(node, cluster);
  if (flags.json) return printJson(placed.map(([id, name]) => ({ node: id, label: name })));
  if (placed.length === 0) return printText(node === undefined ? 'No node has a label.\n' : `${node} has no label.\n`);
  printTable(
    ['NODE', 'LABEL'],
    [...placed].sort(([a], [b]) => (a < b ? -1 : 1)).map(([id, name]) => [id, name]),
  );
}

/** What nodes are given is kept for those that are still to come, so a slip in the name is not refused; it is said, with what becomes of it. */
export async function noteAbsence(node: string, cluster: ClusterClient, what = ''): Promise<void> {
  const there = await cluster.nodes(anyState).catch(() => undefined);
  const host = node.replace(/:\d+$/, '');
  const isThere = there?.some(({ id = '' }) => id === node || (host === node && id.replace(/:\d+$/, '') === host));
  if (isThere === false)
    printNote(`heddle: note: the cluster has no node ${node} yet${what}; "heddle node list --all" shows those it has\n`);
}

interface ResourceFlags extends ClusterFlags {
  readonly memory?: number;
  readonly vcores?: number;
  readonly resource?: readonly string[];
  readonly timeout?: number;
}

type Named = { readonly name: string; readonly value?: number | string };

/** What a node offers now, by names of resource types. */
function offerOf({
  totalResource,
  usedMemoryMB,
  availMemoryMB,
  usedVirtualCores,
  availableVirtualCores,
}: NodeInfo): Record<string, number> {
  // The list lies in a holder of its own.
  const holder = totalResource?.resourceInformations as unknown as { resourceInformation?: Named | Named[] } | undefined;
  const named = many(holder?.resourceInformation).map(({ name, value }) => [name, Number(value ?? 0)]);
  const sum = (...parts: unknown[]): number => parts.reduce<number>((total, part) => total + Number(part ?? 0), 0);
  return {
    'memory-mb': sum(usedMemoryMB, availMemoryMB),
    vcores: sum(usedVirtualCores, availableVirtualCores),
    ...(Object.fromEntries(named) as Record<string, number>),
  };
}

const amountsText = (amounts: Readonly<Record<string, number>>): string =>
  Object.entries(amounts)
    .map(([name, value]) => (name === 'memory-mb' ? formatMemory(value) : `${value} ${name}`))
    .join(', ');

async function resource(id: string, flags: ResourceFlags): Promise<void> {
  const others = readResources(flags.resource ?? []);
  const { cluster } = connect(flags);
  const before = offerOf(await talk(() => cluster.node(id)));
  const unknown = Object.keys(others).find((name) => !(name in before));
  if (unknown !== undefined)
    throw new CommandFailure(`${unknown} is no resource type of this cluster`, `It has ${Object.keys(before).join(', ')}.`, 2);
  const wanted = {
    ...(flags.memory === undefined ? {} : { 'memory-mb': flags.memory }),
    ...(flags.vcores === undefined ? {} : { vcores: flags.vcores }),
    ...others,
  };
  const isAsked = Object.keys(wanted).length === 0;
  const timeoutMs = flags.timeout === undefined ? -1 : flags.timeout * 1000;
  if (!isAsked) await talk(() => cluster.resizeNode(id, { ...before, ...wanted }, timeoutMs));
  const now = isAsked ? before : offerOf(await talk(() => cluster.node(id)));
  if (flags.json) return printJson({ node: id, before, now });
  printText(`${id} offers ${amountsText(now)}.\n`);
}

async function decommission(id: string, flags: ClusterFlags): Promise<void> {
  const { cluster } = connect(flags);
  const change = await talk(() => cluster.drainNode(id, 0));
  if (flags.json) return printJson(change);
  printText(`${id} is ${change.state}. "heddle node recommission ${id}" lets it come back.\n`);
}

/** Has the sizes of nodes read again. */
export async function refreshNodeResources(flags: ClusterFlags): Promise<void> {
  const { cluster } = connect(flags);
  const changed = await talk(() => cluster.refreshNodeResources());
  if (flags.json) return printJson({ changed });
  printText(changed.length === 0 ? 'No node that is there was changed.\n' : `Changed: ${changed.join(', ')}.\n`);
}
