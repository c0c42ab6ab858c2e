// Joins the services that applications need on every node to the node manager: the shuffle of batch jobs.
import { join } from 'node:path';
import { SHUFFLE_SERVICE } from './batch/shuffle/protocol.ts';
import { ShuffleService } from './batch/shuffle/shuffle-service.ts';
import type { Configuration } from './config/load.ts';
import { nodeManagerSettings } from './config/settings/node-manager.ts';
import type { Logger } from './lib/log.ts';
import type { AuxiliaryService } from './node-manager/auxiliary/service.ts';
import { folderOfUser } from './node-manager/folders.ts';

/** The services a node manager may run; which of them do is said by `yarn.nodemanager.aux-services`. */
export function auxiliaryServices(configuration: Configuration, logger: Logger): AuxiliaryService[] {
  return [shuffle(configuration, logger)];
}

function shuffle(configuration: Configuration, logger: Logger): AuxiliaryService {
  const settings = configuration.values(nodeManagerSettings);
  let service: ShuffleService | undefined;
  let port = 0;
  return {
    name: SHUFFLE_SERVICE,
    classNames: ['org.apache.hadoop.mapred.ShuffleHandler'],
    async start({ folder }) {
      service = new ShuffleService({
        localFolders: settings.localDirectories,
        stateFolder: join(folder, 'applications'),
        host: settings.webAddress.slice(0, settings.webAddress.lastIndexOf(':')),
        port: settings.shufflePort,
        logger,
      });
      ({ port } = await service.start());
    },
    stop: async () => service?.close(),
    applicationStarted({ applicationId, user, data }) {
      if (data) service?.initializeApplication(applicationId, folderOfUser(user), data);
    },
    applicationEnded: (applicationId) => service?.stopApplication(applicationId),
    // What Hadoop's ShuffleHandler tells masters and tasks: its port as four bytes.
    metadata() {
      const bytes = Buffer.alloc(4);
      bytes.writeUInt32BE(port);
      return bytes;
    },
  };
}
