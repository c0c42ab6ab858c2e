// What a node counts for those who watch it (NodeManagerMetrics of Hadoop): ends and starts of containers, how long starts take, the cache of
// local files. What can be seen at any moment is not counted here but looked at (`http/node-beans.ts`).

import { ChannelFigures } from '../lib/channel-figures.ts';
import { DurationFigure } from '../lib/duration-figure.ts';
import { RpcFigures } from '../lib/rpc-figures.ts';
import type { UsageFigures } from '../wire/cluster/node-channel.ts';
import { UsageRecord } from './containers/usage-record.ts';

/** Figures of a kind of deleted files, bytes. */
interface Deleted {
  readonly publicBytes: number;
  readonly privateBytes: number;
}

export class NodeMetrics {
  /** What it and the resource manager told each other. */
  readonly channel = new ChannelFigures();
  /** What its port of Hadoop RPC served. */
  readonly rpc = new RpcFigures();
  /** Orders taken. */
  containersLaunched = 0;
  /** Ended with 0. */
  containersCompleted = 0;
  containersFailed = 0;
  containersKilled = 0;
  containersRolledBack = 0;
  /** From the moment everything is there to its process. */
  readonly launches = new DurationFigure();
  /** Until everything that its process needs is there. */
  readonly localizations = new DurationFigure();
  readonly cacheHits = { files: 0, bytes: 0 };
  readonly cacheMisses = { files: 0, bytes: 0 };
  cacheBytesBeforeClean = 0;
  /** By the last cleaning of the cache. */
  lastDeleted: Deleted = { publicBytes: 0, privateBytes: 0 };
  /** The last look at what the node and its containers use. */
  usage: { readonly node: UsageFigures; readonly containers: UsageFigures } | undefined;
  /** How long the last look at every container took. */
  monitorTookMs = 0;
  /** What they used over the last minutes. */
  readonly usageRecord = new UsageRecord();

  /** A container has ended for good. */
  ended({ exitCode, killed }: { readonly exitCode: number; readonly killed: boolean }): void {
    if (killed) this.containersKilled += 1;
    else if (exitCode === 0) this.containersCompleted += 1;
    else this.containersFailed += 1;
  }

  /** A file was wanted; `isHit`: it was here already. */
  wanted(isHit: boolean, bytes: number): void {
    const figures = isHit ? this.cacheHits : this.cacheMisses;
    figures.files += 1;
    figures.bytes += bytes;
  }

  /** The cache was looked through. */
  cleaned(bytesBefore: number, deleted: Deleted): void {
    this.cacheBytesBeforeClean = bytesBefore;
    this.lastDeleted = deleted;
  }
}
