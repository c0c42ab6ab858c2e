// Where the logs of a container are: with its node while the application runs, in the folder of aggregated logs after (LogServlet).
import type { Authorize } from '../../client/credentials.ts';
import { requestProven } from '../../client/request-proven.ts';
import type { Logger } from '../../lib/log.ts';
import { isFinalApplicationState } from '../../model/application-states.ts';
import { failure } from '../../model/errors.ts';
import { applicationIdOfContainer } from '../../model/ids.ts';
import {
  type AggregatedLogTree,
  type ContainerLogs,
  containerLogText,
  findApplicationLogs,
  javaDateText,
  listContainerLogs,
  noLogsText,
} from '../../wire/files/aggregated-log-folder.ts';
import type { ContainerLogsInfo } from '../../wire/timeline/log-records.ts';

/** Where to look: at a node (its base URL), or here; `localMissing` when a part may lie on a node that is not known. */
export type LogPlace =
  | { readonly kind: 'node'; readonly url: string }
  | { readonly kind: 'here'; readonly localMissing: boolean; readonly owner?: string };

/** What is known of applications and containers, and who may read their logs: in version 1 the application history. */
export interface LogRecords {
  find(applicationId: string): { readonly user?: string | undefined; readonly state: string } | undefined;
  findContainer(containerId: string): { readonly host?: string | undefined; readonly port?: number | undefined } | undefined;
  /** `file`: what the log file itself says, for applications that are forgotten here. */
  mayReadLogs(
    applicationId: string,
    file: { owner?: string | undefined; viewAcl?: string | undefined } | undefined,
    user: string | undefined,
  ): boolean;
}

/** What a caller says of where to look, and who it is. */
export interface LogCall {
  readonly nodeId: string | undefined;
  readonly fromNode: boolean;
  readonly user: string | undefined;
}

export interface ContainerLogsOptions {
  readonly history: LogRecords;
  readonly tree: AggregatedLogTree;
  /** Base URL of the resource manager, which knows the nodes. */
  readonly resourceManagerUrl: string;
  /** Of nodes' web addresses that name none. */
  readonly scheme: 'http' | 'https';
  /** Proves this server to it, where a name is not enough. */
  readonly authorize?: Authorize | undefined;
  readonly logger: Logger;
}

/** Gives the places of container logs, by what is known of applications. */
export type LogPlaces = (records: LogRecords) => ContainerLogPlaces;

const lookUpTimeoutMs = 5_000;
const unknownNode = 'N/A';

export class ContainerLogPlaces {
  readonly #options: ContainerLogsOptions;

  constructor(options: ContainerLogsOptions) {
    this.#options = options;
  }

  /**
   * Decides where the logs of a container are, for `user`. `nodeId` is the node a caller names; `fromNode` says that a node sent the caller here.
   * @throws HISTORY_NOT_STARTED for an application that neither runs nor has ended, HISTORY_HIDDEN for one of which the user may not know that
   */
  async place(containerId: string, { nodeId, fromNode, user }: LogCall): Promise<LogPlace> {
    const { history } = this.#options;
    const id = applicationIdOfContainer(containerId);
    const application = history.find(id);
    if (!application) return { kind: 'here', localMissing: false };
    const owner = application.user;
    if (isFinalApplicationState(application.state)) return { kind: 'here', localMissing: false, owner };
    if (application.state !== 'RUNNING')
      throw history.mayReadLogs(id, undefined, user) ? failure('HISTORY_NOT_STARTED') : failure('HISTORY_HIDDEN', { user: user ?? '', id });
    const named = nodeId === undefined ? undefined : await this.#nodeAddress(nodeId);
    const address = named ?? (fromNode ? undefined : await this.#addressOf(containerId));
    if (!address) return { kind: 'here', localMissing: true, owner };
    return { kind: 'node', url: /^https?:\/\//.test(address) ? address : `${this.#options.scheme}://${address}` };
  }

  /** The web address of the node that a container was on, as the resource manager says: what is stored here leads nobody anywhere. */
  async #addressOf(containerId: string): Promise<string | undefined> {
    const container = this.#options.history.findContainer(containerId);
    if (container?.host === undefined) return undefined;
    return this.#nodeAddress(`${container.host}:${container.port}`);
  }

  /** The web address of a node, or undefined where no record has it. */
  async #nodeAddress(nodeId: string): Promise<string | undefined> {
    const url = `${this.#options.resourceManagerUrl}/ws/v1/cluster/nodes/${encodeURIComponent(nodeId)}`;
    try {
      const answer = await requestProven(url, this.#options.authorize, {
        headers: { accept: 'application/json' },
        headersTimeout: lookUpTimeoutMs,
        bodyTimeout: lookUpTimeoutMs,
      });
      const { node } = (await answer.body.json()) as { node?: { nodeHTTPAddress?: string } };
      return node?.nodeHTTPAddress || undefined;
    } catch (error) {
      this.#options.logger.debug({ nodeId, reason: (error as Error).message }, 'the address of a node could not be looked up');
      return undefined;
    }
  }

  /** The aggregated log files of a container that `user` may see. @throws HISTORY_HIDDEN, HISTORY_NO_LOGS */
  async list(containerId: string, place: LogPlace & { kind: 'here' }, user: string | undefined): Promise<ContainerLogsInfo[]> {
    const found = await this.#found(containerId, place, user);
    const infos = found.flatMap(({ nodeFile, files }): ContainerLogsInfo[] => {
      const lastModifiedTime = javaDateText(nodeFile.modifiedMs);
      const containerLogInfo = files.map(({ name, sizeBytes }) => ({ fileName: name, fileSize: String(sizeBytes), lastModifiedTime }));
      const aggregated = { containerLogInfo, logAggregationType: 'AGGREGATED', containerId, nodeId: nodeFile.name };
      if (!place.localMissing) return [aggregated];
      return [aggregated, { containerLogInfo: [], logAggregationType: 'LOCAL', containerId, nodeId: unknownNode }];
    });
    if (infos.length === 0) throw failure('HISTORY_NO_LOGS');
    return infos;
  }

  /**
   * The text of one aggregated log file in its frame, or the sentence that there is none.
   * `size` bytes from the beginning, or from the end when negative; all when undefined. @throws HISTORY_HIDDEN, LOGS_APPLICATION_ABSENT
   */
  async text(
    containerId: string,
    file: string,
    size: number | undefined,
    place: LogPlace & { kind: 'here' },
    user: string | undefined,
  ): Promise<AsyncGenerator<string | Buffer>> {
    await this.#found(containerId, place, user);
    const applicationId = applicationIdOfContainer(containerId);
    const logs = await findApplicationLogs(this.#options.tree, applicationId, place.owner);
    if (!logs && !place.localMissing) throw failure('LOGS_APPLICATION_ABSENT', { id: applicationId });
    return framed(containerId, logs?.folder, file, size, place.localMissing);
  }

  async #found(containerId: string, place: LogPlace & { kind: 'here' }, user: string | undefined): Promise<ContainerLogs[]> {
    const applicationId = applicationIdOfContainer(containerId);
    const logs = await findApplicationLogs(this.#options.tree, applicationId, place.owner);
    const found = logs ? await listContainerLogs(logs.folder, { containerId }) : [];
    const [first] = found;
    // The timeline may have forgotten an application whose logs are still there: then the file says who may see them.
    if (
      !this.#options.history.mayReadLogs(
        applicationId,
        first && { owner: first.owner || logs?.owner, viewAcl: first.acls['VIEW_APP'] },
        user,
      )
    ) {
      throw failure('HISTORY_HIDDEN', { user: user ?? '', id: applicationId });
    }
    return found;
  }
}

async function* framed(
  containerId: string,
  folder: string | undefined,
  file: string,
  size: number | undefined,
  localMissing: boolean,
): AsyncGenerator<string | Buffer> {
  let any = false;
  if (folder !== undefined) {
    for await (const piece of containerLogText(folder, containerId, ({ name }) => name === file, size === undefined ? {} : { size })) {
      any = true;
      yield piece;
    }
  }
  if (localMissing) {
    yield `${containerId}\nLogAggregationType: LOCAL\nLogContents:\nWe do not have NodeManager web address, so we can not re-direct the request to related NodeManager for local container logs.\n`;
  } else if (!any) yield noLogsText(containerId);
}
