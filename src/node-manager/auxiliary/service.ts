// The port for services that applications need on every node, such as the shuffle of batch jobs (Hadoop's AuxiliaryService).
import type { IncomingMessage, ServerResponse } from 'node:http';

/** What a service is given when it starts. */
export interface AuxiliaryContext {
  /** Folder of its own that survives restarts. */
  readonly folder: string;
  /** Folders of an application on this node (`…/usercache/USER/appcache/APPLICATION`), where its containers leave their output. */
  readonly applicationFolders: (user: string, applicationId: string) => readonly string[];
  /** `host:port` of the node's web interface. */
  readonly nodeHttpAddress: () => string;
}

/** An application that began on this node. */
export interface AuxiliaryApplication {
  readonly applicationId: string;
  readonly user: string;
  /** `serviceData` of the launch context for this service, such as a job's token. */
  readonly data: Buffer | undefined;
}

/** Figures of a service for monitors; `context` as Hadoop's metrics know it. */
export interface AuxiliaryBean {
  readonly name: string;
  readonly context: string;
  readonly figures: Readonly<Record<string, number>>;
}

/** A service. All members but `name` and `start` are optional. */
export interface AuxiliaryService {
  /** Its usual name in `yarn.nodemanager.aux-services`, for example `mapreduce_shuffle`. */
  readonly name: string;
  start(context: AuxiliaryContext): Promise<void>;
  stop?(): Promise<void>;
  /** Called at an application's first container here, and again for each container that brings `data`. */
  applicationStarted?(application: AuxiliaryApplication): void;
  applicationEnded?(applicationId: string): void;
  /** What containers find in the variable NM_AUX_SERVICE_<name>, base64. */
  metadata?(): Buffer;
  /** Requests below `/api/v1/auxiliary/NAME/` of the node's web interface; `path` is what follows, with its query. */
  handle?(request: IncomingMessage, response: ServerResponse, path: string): void;
  /** What monitors see of it: beans of these names. */
  beans?(): readonly AuxiliaryBean[];
  /** Java class names by which settings and manifests may ask for the service. */
  readonly classNames?: readonly string[];
}
