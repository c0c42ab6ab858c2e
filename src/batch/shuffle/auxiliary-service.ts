// The shuffle as an auxiliary service of a node manager.
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Logger } from '../../lib/log.ts';
import { shuffleService } from './protocol.ts';
import { ShuffleService } from './shuffle-service.ts';

/** What a node manager gives to an auxiliary service when it starts (its `AuxiliaryContext`). */
interface NodeContext {
  readonly folder: string;
  readonly applicationFolders: (user: string, applicationId: string) => readonly string[];
}

const hadoopShufflePort = 13562;

/** Makes the service for one node manager; requests reach it below `/api/v1/auxiliary/mapreduce_shuffle/`. */
export function createShuffleAuxiliaryService(logger: Logger) {
  let service: ShuffleService | undefined;
  return {
    name: shuffleService,
    classNames: ['org.apache.hadoop.mapred.ShuffleHandler'],
    async start({ folder, applicationFolders }: NodeContext): Promise<void> {
      service = new ShuffleService({ applicationFolders, stateFolder: folder, logger });
      service.start();
    },
    applicationStarted({ applicationId, user, data }: { applicationId: string; user: string; data: Buffer | undefined }): void {
      if (data !== undefined) service?.initializeApplication(applicationId, user, data);
    },
    applicationEnded(applicationId: string): void {
      service?.stopApplication(applicationId);
    },
    /** What Hadoop's ShuffleHandler tells masters and tasks: a port as four bytes. */
    metadata(): Buffer {
      const bytes = Buffer.alloc(4);
      bytes.writeUInt32BE(hadoopShufflePort);
      return bytes;
    },
    handle(request: IncomingMessage, response: ServerResponse, path: string): void {
      if (service !== undefined) service.handle(request, response, path);
      else response.writeHead(503).end();
    },
  };
}
