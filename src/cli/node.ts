// `heddle node list|show|attributes|set-attributes|refresh|drain|resume`; its further commands lie in `node-changes.ts`.

import { type Command, InvalidArgumentError } from 'commander';
import { many } from '../client/cluster-client.ts';
import { healthRemedies } from '../model/health-remedies.ts';
import { hostOfNodeId } from '../model/ids.ts';
import type { NodeInfo } from '../wire/cluster/node.ts';
import { connect, talk } from './connection.ts';
import { CommandFailure } from './failure.ts';
import { addNodeChanges, anyState, noteAbsence } from './node-changes.ts';
import { statesOf } from './offered-words.ts';
import { type ClusterFlags, withClusterOptions } from './options.ts';
import { formatMemory, formatTime, printFacts, printJson, printNote, printTable, printText } from './output.ts';

/** What `--graceful` does. */
export const gracefulText =
  'let nodes that must go finish their applications for so long; -1: without end (default: what the settings say)';

/** Registers `heddle node …`. */
export function addNode(program: Command): void {
  const node = program.command('node').description('look at the nodes, change what they offer, take them out');
  withClusterOptions(node.command('list'))
    .description('list nodes that run')
    .option('--all', 'also those that are lost, unhealthy, decommissioned or shut down')
    .option('--state <states>', 'only these states, separated by commas', statesOf(anyState.split(',')))
    .action(list);
  withClusterOptions(node.command('show').argument('<node>', 'its id, host:port')).description('show one node').action(show);
  withClusterOptions(node.command('attributes')).description('list hosts with their attributes').action(attributes);
  withClusterOptions(node.command('set-attributes').argument('<host>').argument('[NAME=VALUE...]'))
    .description('give attributes to a host; constraints of applications choose nodes by them')
    .option('--replace', 'instead of all that it was given before')
    .option('--remove', 'take the named ones away (NAME)')
    .action(setAttributes);
  withClusterOptions(node.command('refresh'))
    .description('read the include and exclude files again')
    .option('-g, --graceful [seconds]', gracefulText, gracefulTime)
    .action(refreshNodes);
  withClusterOptions(node.command('drain').argument('<node>', 'its id, host:port'))
    .description('let a node finish its applications and leave the cluster')
    .option('--timeout <seconds>', 'leave after so long all the same; -1: never (default: what the settings say)', gracefulTime)
    .action(drain);
  addNodeChanges(node);
  withClusterOptions(node.command('resume').alias('recommission').argument('<node>', 'its id, host:port'))
    .description('put a node that was drained or decommissioned back to work')
    .action(resume);
}

/** n2 before n10. */
const byNumbers = new Intl.Collator('en', { numeric: true });

async function list(flags: ClusterFlags & { all?: boolean; state?: string }): Promise<void> {
  const { cluster } = connect(flags);
  const states = flags.state ?? (flags.all ? anyState : undefined);
  const nodes = (await talk(() => cluster.nodes(states))).toSorted((a, b) => byNumbers.compare(a.id ?? '', b.id ?? ''));
  if (flags.json) return printJson(nodes);
  if (nodes.length === 0) printText(states === undefined ? 'No nodes run; "heddle node list --all" also shows others.\n' : 'No nodes.\n');
  else
    printTable(
      ['NODE', 'STATE', 'WEB ADDRESS', 'RACK', 'CONTAINERS', 'MEMORY USED', 'OF', 'VCORES USED', 'OF'],
      nodes.map((node) => [
        node.id,
        node.state,
        node.nodeHTTPAddress,
        node.rack,
        node.numContainers ?? 0,
        formatMemory(node.usedMemoryMB ?? 0),
        formatMemory(Number(node.usedMemoryMB ?? 0) + Number(node.availMemoryMB ?? 0)),
        node.usedVirtualCores ?? 0,
        Number(node.usedVirtualCores ?? 0) + Number(node.availableVirtualCores ?? 0),
      ]),
      ['RACK', 'WEB ADDRESS', 'CONTAINERS'],
    );
  for (const { id, healthReport = '' } of nodes) {
    const complaint = healthReport.trim();
    if (complaint !== '') printNote([`heddle: ${id}: ${complaint}`, ...healthRemedies(healthReport)].map((line) => `${line}\n`).join('  '));
  }
}

/** The items of a list that the interface puts into a holder of its own. */
const held = (holder: unknown, member: string): readonly Record<string, unknown>[] =>
  many((holder as Record<string, Record<string, unknown>[]> | undefined)?.[member]);

const attributesText = (node: NodeInfo): string | undefined =>
  held(node.nodeAttributesInfo, 'nodeAttributeInfo')
    .map(({ prefix, name, value }) => `${prefix}/${name}=${value}`)
    .join(', ') || undefined;

const tagsText = (node: NodeInfo): string | undefined =>
  held(node.allocationTags, 'allocationTagInfo')
    .map(({ allocationTag, allocationsCount }) => `${allocationTag} (${allocationsCount})`)
    .join(', ') || undefined;

async function show(id: string, flags: ClusterFlags): Promise<void> {
  const { cluster } = connect(flags);
  const node = await talk(() => cluster.node(id));
  if (flags.json) return printJson(node);
  printFacts([
    ['node', node.id],
    ['state', node.state],
    ['web address', node.nodeHTTPAddress],
    ['rack', node.rack],
    ['version', node.version],
    ['health', node.healthReport?.trim() || 'healthy'],
    ...healthRemedies(node.healthReport ?? '').map((remedy): [string, string] => ['remedy', remedy]),
    ['health checked', formatTime(node.lastHealthUpdate)],
    ['containers', node.numContainers],
    ['memory', `${formatMemory(node.usedMemoryMB)} used, ${formatMemory(node.availMemoryMB)} free`],
    ['vcores', `${node.usedVirtualCores} used, ${node.availableVirtualCores} free`],
    ['labels', node.nodeLabels?.join(', ')],
    ['attributes', attributesText(node)],
    ['allocation tags', tagsText(node)],
  ]);
}

async function attributes(flags: ClusterFlags): Promise<void> {
  const { cluster } = connect(flags);
  const hosts = await talk(() => cluster.nodeAttributes());
  if (flags.json) return printJson(hosts);
  if (hosts.length === 0) printText('No host has attributes.\n');
  else
    printTable(
      ['HOST', 'ATTRIBUTE', 'VALUE'],
      hosts.flatMap(({ host, attributes }) => attributes.map(({ prefix, name, value }) => [host, `${prefix}/${name}`, value])),
    );
}

async function setAttributes(
  host: string,
  texts: readonly string[],
  flags: ClusterFlags & { replace?: boolean; remove?: boolean },
): Promise<void> {
  if (/^[^:]+:\d+$/.test(host))
    throw new CommandFailure(`${host} is a node, and attributes belong to hosts`, `Name the host alone: ${hostOfNodeId(host)}.`, 2);
  const { cluster } = connect(flags);
  const wanted = texts.map((text) => {
    const at = text.indexOf('=');
    if (at < 0 && !flags.remove) throw new CommandFailure(`${text}: has no value`, 'Write NAME=VALUE.', 2);
    return at < 0 ? { name: text } : { name: text.slice(0, at), value: text.slice(at + 1) };
  });
  // To replace all by none takes them away.
  if (wanted.length === 0 && !flags.replace)
    throw new CommandFailure('no attribute is given', flags.remove ? 'Name those to take away.' : 'Write NAME=VALUE.', 2);
  await talk(() => cluster.mapNodeAttributes(flags.remove ? 'remove' : flags.replace ? 'replace' : 'add', host, wanted));
  await noteAbsence(host, cluster, flags.remove ? '' : '; its nodes have the attributes once they come');
  if (flags.json) printJson({ host, changed: true });
  else printText(`The attributes of ${host} were changed.\n`);
}

/** `-g` alone: the time of the settings; with a number: so many seconds, -1 without end. */
export function gracefulTime(text: string): number {
  if (!/^-?\d+$/.test(text) || Number(text) < -1) throw new InvalidArgumentError('Give seconds, or -1 for no end.');
  return Number(text);
}

/** Lets the cluster read its lists of nodes again. */
export async function refreshNodes(flags: ClusterFlags & { graceful?: number | boolean }): Promise<void> {
  const { cluster } = connect(flags);
  const { changed } = await talk(() => cluster.refreshNodes(flags.graceful));
  if (flags.json) return printJson({ refreshed: true, changed });
  printText('The cluster has read its lists of nodes again.\n');
  for (const { nodeId, state } of changed) printText(`${nodeId} is ${state} now.\n`);
}

async function drain(id: string, flags: ClusterFlags & { timeout?: number }): Promise<void> {
  const { cluster } = connect(flags);
  const change = await talk(() => cluster.drainNode(id, flags.timeout));
  if (flags.json) return printJson(change);
  const said: Record<string, string> = {
    DECOMMISSIONING: `${id} finishes its applications and takes nothing new. "heddle node resume ${id}" puts it back to work.`,
    DECOMMISSIONED: `${id} had nothing to finish and left. "heddle node resume ${id}" lets it come back.`,
  };
  printText(`${said[change.state] ?? `${id} is ${change.state}; it stays away until it is resumed.`}\n`);
}

async function resume(id: string, flags: ClusterFlags): Promise<void> {
  const { cluster } = connect(flags);
  const change = await talk(() => cluster.resumeNode(id));
  if (flags.json) return printJson(change);
  printText(change.state === 'RUNNING' ? `${id} works again.\n` : `${id} may come back; it is ${change.state} until it does.\n`);
}
