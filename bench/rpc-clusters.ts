// A cluster of Heddle and, where it is compared, one of Hadoop beside it, for the same work of clients that speak Hadoop RPC.
import { copyFileSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePorts } from '../test/support/ports.ts';
import { startProcesses } from '../test/support/processes.ts';
import type { HadoopClients } from './hadoop-clients.ts';
import { fetchPeer, type Peer, peerFiles, startPeer } from './peer.ts';

/** What both clusters have: one node of the same size, the same queues, nothing told to the timeline. */
export const usualSettings: Readonly<Record<string, string>> = {
  'yarn.timeline-service.enabled': 'false',
  'yarn.system-metrics-publisher.enabled': 'false',
  'yarn.resourcemanager.system-metrics-publisher.enabled': 'false',
  'yarn.nodemanager.resource.memory-mb': '8192',
  'yarn.nodemanager.resource.cpu-vcores': '8',
  'yarn.nodemanager.aux-services': 'mapreduce_shuffle',
  'yarn.nodemanager.vmem-check-enabled': 'false',
  'yarn.scheduler.minimum-allocation-mb': '128',
};

/** Over them: a hundred containers fit beside each other. A user may have what the queue is promised, and that is half of the cluster. */
export const roomForAll: Readonly<Record<string, string>> = {
  'yarn.nodemanager.resource.memory-mb': '65536',
  'yarn.nodemanager.resource.cpu-vcores': '512',
};

/** A cluster and how it is spoken to. */
export interface RpcSide {
  readonly clients: HadoopClients;
  /** Where ApplicationClientProtocol is served. */
  readonly address: string;
}

/**
 * Does `work` while the clusters run: Heddle, then Hadoop where it is `compared`. `settings` lie over the usual ones of both; `folder` is for
 * what the work leaves and goes with the clusters. @throws Error where a cluster does not start
 */
export async function onBoth<T>(
  compared: boolean,
  settings: Readonly<Record<string, string>>,
  work: (sides: readonly RpcSide[], folder: string) => Promise<T>,
): Promise<T> {
  await fetchPeer();
  const both = { ...usualSettings, ...settings };
  const folder = mkdtempSync(join(tmpdir(), 'bench-programs-'));
  const [client, masters, history] = await freePorts(3);
  await using cluster = await startProcesses({
    mode: 'none',
    settings: {
      ...both,
      'yarn.resourcemanager.address': `127.0.0.1:${client}`,
      'yarn.resourcemanager.scheduler.address': `127.0.0.1:${masters}`,
      'yarn.resourcemanager.admin.address': '127.0.0.1:0',
      'mapreduce.jobhistory.address': `127.0.0.1:${history}`,
    },
  });
  copyFileSync(peerFiles.queues, join(cluster.confDir, 'capacity-scheduler.xml'));
  let peer: Peer | undefined;
  try {
    await cluster.start('up');
    const confDir = join(folder, 'clients');
    const { code, output } = await cluster.heddle('config', 'client', confDir, '--class-path', `${peerFiles.lib}/*`);
    if (code !== 0) throw new Error(output);
    const sides: RpcSide[] = [{ clients: { confDir, lib: peerFiles.lib }, address: `127.0.0.1:${client}` }];
    if (compared) {
      peer = await startPeer(both, ['rm', 'nm', 'jhs']);
      sides.push({ clients: { confDir: peerFiles.confDir, lib: peerFiles.lib }, address: '127.0.0.1:8032' });
    }
    return await work(sides, folder);
  } finally {
    await peer?.close();
    rmSync(folder, { recursive: true, force: true });
  }
}
