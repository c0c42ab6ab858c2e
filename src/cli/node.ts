// `heddle node list|show|refresh`.
import type { Command } from 'commander';
import { connect, talk } from './connection.ts';
import { type ClusterFlags, wholeNumber, withClusterOptions } from './options.ts';
import { formatMemory, formatTime, printFacts, printJson, printTable } from './output.ts';

/** Registers `heddle node …`. */
export function addNode(program: Command): void {
  const node = program.command('node').description('look at the nodes');
  withClusterOptions(node.command('list'))
    .description('list nodes that run')
    .option('--all', 'also those that are lost, unhealthy, decommissioned or shut down')
    .option('--state <states>', 'only these states, separated by commas')
    .action(list);
  withClusterOptions(node.command('show').argument('<node>', 'its id, host:port')).description('show one node').action(show);
  withClusterOptions(node.command('refresh'))
    .description('read the include and exclude files again')
    .option('--graceful <seconds>', 'let nodes that must go finish their applications for so long', wholeNumber(0))
    .action(refreshNodes);
}

async function list(flags: ClusterFlags & { all?: boolean; state?: string }): Promise<void> {
  const { cluster } = connect(flags);
  const states = flags.state ?? (flags.all ? 'NEW,RUNNING,UNHEALTHY,DECOMMISSIONING,DECOMMISSIONED,LOST,REBOOTED,SHUTDOWN' : undefined);
  const nodes = await talk(() => cluster.nodes(states));
  if (flags.json) return printJson(nodes);
  if (nodes.length === 0) process.stdout.write('No nodes.\n');
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
    );
}

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
    ['last report', formatTime(node.lastHealthUpdate)],
    ['containers', node.numContainers],
    ['memory', `${formatMemory(node.usedMemoryMB)} used, ${formatMemory(node.availMemoryMB)} free`],
    ['vcores', `${node.usedVirtualCores} used, ${node.availableVirtualCores} free`],
    ['labels', node.nodeLabels?.join(', ')],
  ]);
}

/** Lets the cluster read its lists of nodes again. */
export async function refreshNodes(flags: ClusterFlags & { graceful?: number }): Promise<void> {
  const { cluster } = connect(flags);
  await talk(() => cluster.refreshNodes(flags.graceful));
  if (flags.json) printJson({ refreshed: true });
  else process.stdout.write('The cluster reads its lists of nodes again.\n');
}
