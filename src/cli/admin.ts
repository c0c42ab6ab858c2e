// `heddle admin refresh-queues|refresh-nodes|refresh-nodes-resources|refresh-access`: what `yarn rmadmin` does.
import type { Command } from 'commander';
import { connect, talk } from './connection.ts';
import { gracefulText, gracefulTime, refreshNodes } from './node.ts';
import { refreshNodeResources } from './node-changes.ts';
import { type ClusterFlags, withClusterOptions } from './options.ts';
import { printJson, printText } from './output.ts';

/** Registers `heddle admin …`. */
export function addAdmin(program: Command): void {
  const admin = program.command('admin').description('what an administrator does to a running cluster');
  withClusterOptions(admin.command('refresh-queues'))
    .description('read capacity-scheduler.xml or fair-scheduler.xml again; a bad file changes nothing')
    .action(refreshQueues);
  withClusterOptions(admin.command('refresh-nodes'))
    .description('read the include and exclude files again')
    .option('-g, --graceful [seconds]', gracefulText, gracefulTime)
    .action(refreshNodes);
  withClusterOptions(admin.command('refresh-nodes-resources'))
    .description('read dynamic-resources.xml again: what nodes offer')
    .action(refreshNodeResources);
  withClusterOptions(admin.command('refresh-access'))
    .description('read again who administers, who may act for whom, and who is in which group')
    .action(refreshAccess);
}

async function refreshAccess(flags: ClusterFlags): Promise<void> {
  const { cluster } = connect(flags);
  const { administrators } = await talk(() => cluster.refreshAccess());
  if (flags.json) return printJson({ administrators });
  printText(`Proxy users and groups were read again; administrators: ${administrators}.\n`);
}

async function refreshQueues(flags: ClusterFlags): Promise<void> {
  const { cluster } = connect(flags);
  const { from, file, scheduler } = await talk(() => cluster.refreshQueues());
  if (flags.json) return printJson({ scheduler, from, file });
  const said = {
    file: `The queues run as ${file} says.`,
    store: `The queues are kept in a store and were built from it again; ${file} counts when it is formatted (/ws/v1/cluster/scheduler-conf/format).`,
    none: `The ${scheduler} scheduler has no queue file.`,
  };
  printText(`${said[from]}\n`);
}
