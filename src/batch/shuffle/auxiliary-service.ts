// The shuffle as an auxiliary service of a node manager: Heddle's own jobs ask below the node's web interface, Hadoop's on a port of its own.
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { join } from 'node:path';
import { AuditLog } from '../../auth/audit-log.ts';
import { shuffleAddress, shuffleClass } from '../../config/auxiliary-classes.ts';
import type { Configuration } from '../../config/load.ts';
import { shuffleSettings } from '../../config/settings/shuffle.ts';
import { limitsOf } from '../../http/limits.ts';
import { shuffleTls } from '../../http/server-tls.ts';
import type { Clock } from '../../lib/clock.ts';
import type { Logger } from '../../lib/log.ts';
import { type HadoopListener, listenHadoop } from './hadoop-listener.ts';
import { HadoopShuffle } from './hadoop-shuffle.ts';
import { shuffleService } from './protocol.ts';
import { ShuffleService } from './shuffle-service.ts';

/** What a node manager gives to an auxiliary service when it starts (its `AuxiliaryContext`). */
interface NodeContext {
  readonly folder: string;
  readonly applicationFolders: (user: string, applicationId: string) => readonly string[];
}

/** What the service needs of its process. */
export interface ShuffleDependencies {
  readonly clock: Clock;
  readonly logger: Logger;
}

const bytesPerMiB = 1_048_576;

/** Makes the service for one node manager; Heddle's own requests reach it below `/api/v1/auxiliary/mapreduce_shuffle/`. */
export function createShuffleAuxiliaryService(configuration: Configuration, dependencies: ShuffleDependencies) {
  let service: ShuffleService | undefined;
  let listener: HadoopListener | undefined;
  return {
    name: shuffleService,
    classNames: [shuffleClass],
    /** @throws ConfigurationError where HTTPS is asked for without a certificate, Error where the port of the settings is in use */
    async start({ folder, applicationFolders }: NodeContext): Promise<void> {
      const { pathCacheWeight: pathWeight, pathCacheExpiryMs: idleMs, indexCacheMiB } = configuration.values(shuffleSettings);
      const limits = { pathWeight, idleMs, indexBytes: indexCacheMiB * bytesPerMiB };
      const started = new ShuffleService({ applicationFolders, stateFolder: folder, limits, ...dependencies });
      started.start();
      listener = await listen(configuration, dependencies, started, join(folder, 'port'));
      service = started;
    },
    async stop(): Promise<void> {
      await listener?.close();
      listener = undefined;
    },
    applicationStarted({ applicationId, user, data }: { applicationId: string; user: string; data: Buffer | undefined }): void {
      if (data !== undefined) service?.initializeApplication(applicationId, user, data);
    },
    applicationEnded(applicationId: string): void {
      service?.stopApplication(applicationId);
    },
    /** What Hadoop's ShuffleHandler tells masters and tasks: its port as four bytes. */
    metadata(): Buffer {
      const bytes = Buffer.alloc(4);
      bytes.writeUInt32BE(listener?.port ?? configuration.values(shuffleSettings).port);
      return bytes;
    },
    beans() {
      return service === undefined ? [] : [{ name: 'ShuffleMetrics', context: 'mapred', figures: service.figures.shown }];
    },
    handle(request: IncomingMessage, response: ServerResponse, path: string): void {
      if (service !== undefined) service.handle(request, response, path);
      else response.writeHead(503).end();
    },
  };
}

/** Opens Hadoop's port. Reduces of before a restart know the port of before, which the file `memory` keeps where it was a free one. */
async function listen(
  configuration: Configuration,
  { clock, logger }: ShuffleDependencies,
  { applications, outputs, figures }: ShuffleService,
  memory: string,
): Promise<HadoopListener> {
  const settings = configuration.values(shuffleSettings);
  const { host, port: wanted, isSet } = shuffleAddress(configuration) ?? { host: '127.0.0.1', port: settings.port, isSet: true };
  const before = applications.size > 0 && existsSync(memory) ? Number(readFileSync(memory, 'utf8')) : 0;
  const remembered = Number.isInteger(before) && before > 0 && before < 65_536 ? [before] : [];
  const listener = await listenHadoop({
    audit: new AuditLog(logger),
    shuffle: new HadoopShuffle({
      applications,
      outputs,
      keepsAlive: settings.keepAliveEnabled,
      keepAliveSeconds: Math.floor(settings.keepAliveTimeoutMs / 1000),
      bufferBytes: settings.encrypted ? settings.encryptedBufferBytes : settings.bufferBytes,
      figures,
      logger,
    }),
    host: host.replace(/^\[|\]$/g, ''),
    ports: wanted === 0 ? [...remembered, 0] : isSet ? [wanted] : [...remembered, wanted, 0],
    backlog: settings.listenQueueSize,
    maximumConnections: settings.maximumConnections,
    limits: limitsOf(configuration),
    keepAliveMs: settings.keepAliveTimeoutMs,
    tls: shuffleTls(configuration, { clock, logger }),
  });
  writeFileSync(memory, String(listener.port), { mode: 0o600 });
  if (wanted !== 0 && listener.port !== wanted)
    logger.warn(
      { key: shuffleSettings.port.key, inUse: wanted, port: listener.port },
      'the usual port of the shuffle is in use, a free one is served instead; masters are told which',
    );
  return listener;
}
