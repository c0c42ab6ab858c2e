// Joins the services that applications need on every node to the node manager: the shuffle of batch jobs. Neither knows the other.
import { createShuffleAuxiliaryService, type ShuffleDependencies } from './batch/shuffle/auxiliary-service.ts';
import type { Configuration } from './config/load.ts';
import type { AuxiliaryService } from './node-manager/auxiliary/service.ts';

/** The services a node manager may run; which of them do is said by `yarn.nodemanager.aux-services`. */
export function auxiliaryServices(configuration: Configuration, dependencies: ShuffleDependencies): AuxiliaryService[] {
  return [createShuffleAuxiliaryService(configuration, dependencies)];
}
