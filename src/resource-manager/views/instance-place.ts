// Which instance of a run a container is for.
import { commandMaster, type InstancePlace, placeOfAsk } from '../../wire/cluster/command-job.ts';
import type { Application } from '../applications/application.ts';
import type { Container } from '../applications/container.ts';

/** The instance of a run that a container is for; undefined for its master, and for containers of others. */
export const placeOf = ({ submission }: Application, { isMaster, requestId }: Container): InstancePlace | undefined =>
  submission.type === commandMaster.type && !isMaster ? placeOfAsk(requestId) : undefined;
