// Joins the services that applications need on every node to the node manager: the shuffle of batch jobs. Neither knows the other.
import { createShuffleAuxiliaryService } from './batch/shuffle/auxiliary-service.ts';
import type { Configuration } from './config/load.ts';
import type { Logger } from './lib/log.ts';
import type { AuxiliaryService } from './node-manager/auxiliary/service.ts';

/** The services a node manager may run; which of them do is said by `yarn.nodemanager.aux-services`. */
export function auxiliaryServices(_configuration: Configuration, logger: Logger): AuxiliaryService[] {
  return [createShuffleAuxiliaryService(logger)];
}
