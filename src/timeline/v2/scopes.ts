// Whose an entity is: the scopes under which timeline v2 keeps entities, and the types that are the cluster's own.
import type { ApplicationContext } from '../store/flow-store.ts';
import { joinParts } from './uid.ts';

export const applicationType = 'YARN_APPLICATION';
export const attemptType = 'YARN_APPLICATION_ATTEMPT';
export const containerType = 'YARN_CONTAINER';

/** Applications of a run. */
export const runScope = ({ cluster, user, flow, run }: Omit<ApplicationContext, 'application'>): string =>
  joinParts([cluster, user, flow, run]);
/** Entities of an application. */
export const applicationScope = ({ cluster, user, flow, run, application }: ApplicationContext): string =>
  joinParts([cluster, user, flow, run, application]);
/** Entities kept for a user, across applications. */
export const userScope = (cluster: string, user: string): string => joinParts([cluster, user]);
