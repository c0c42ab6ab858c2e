// `heddle label list|add|remove`: the labels (partitions) that nodes can have.
import type { Command } from 'commander';
import { NodeLabels } from '../client/node-labels.ts';
import { connect, talk } from './connection.ts';
import { type ClusterFlags, withClusterOptions } from './options.ts';
import { formatMemory, printJson, printTable, printText } from './output.ts';

/** Registers `heddle label …`. */
export function addLabel(program: Command): void {
  const label = program.command('label').description('labels of nodes; "heddle node labels" gives them to nodes');
  withClusterOptions(label.command('list')).description('list labels with what their nodes offer').action(list);
  withClusterOptions(label.command('add').argument('<label...>', 'names'))
    .description('add labels')
    .option('--shared', 'others may use what is free on their nodes (default: only those who ask for the label)')
    .action(add);
  withClusterOptions(label.command('remove').argument('<label...>', 'names'))
    .description('remove labels; nodes that have one are without')
    .action(remove);
}

async function list(flags: ClusterFlags): Promise<void> {
  const labels = await talk(() => new NodeLabels(connect(flags).cluster.http).list());
  if (flags.json) return printJson(labels);
  printTable(
    ['LABEL', 'KIND', 'NODES', 'MEMORY', 'VCORES'],
    labels.map(({ name, exclusive, activeNodes, memoryMiB, vcores }) => [
      ...[name || '(none)', exclusive ? 'exclusive' : 'shared', activeNodes, formatMemory(memoryMiB), vcores],
    ]),
  );
}

async function add(names: readonly string[], flags: ClusterFlags & { readonly shared?: boolean }): Promise<void> {
  await talk(() => new NodeLabels(connect(flags).cluster.http).add(names, !flags.shared));
  if (flags.json) return printJson({ added: names, exclusive: !flags.shared });
  printText(`Added: ${names.join(', ')}. "heddle node labels NODE LABEL" gives one to a node.\n`);
}

async function remove(names: readonly string[], flags: ClusterFlags): Promise<void> {
  await talk(() => new NodeLabels(connect(flags).cluster.http).remove(names));
  if (flags.json) return printJson({ removed: names });
  printText(`Removed: ${names.join(', ')}.\n`);
}
