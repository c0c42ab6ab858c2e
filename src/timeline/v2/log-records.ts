// What version 2 knows of applications and containers whose logs are asked for (LogWebService.getApp, getNodeHttpAddress).
import { applicationIdOfContainer } from '../../model/ids.ts';
import type { JsonValue } from '../../wire/timeline/entity.ts';
import { applicationNames, containerNames } from '../../wire/timeline/system-names.ts';
import type { LogRecords } from '../application-history/container-logs.ts';
import { mayView } from '../application-history/history.ts';
import type { FlowStore } from '../store/flow-store.ts';
import type { V2Store } from '../store/v2-store.ts';
import type { AccessRules } from '../v1/access.ts';
import { applicationScope, applicationType, containerType, runScope } from './scopes.ts';

const textOf = (value: JsonValue | undefined): string | undefined => (typeof value === 'string' ? value : undefined);

export interface LogRecordsParts {
  readonly flows: FlowStore;
  readonly entities: V2Store;
  readonly cluster: string;
  readonly rules: AccessRules;
  /** `heddle.timeline.application-history.unchecked` */
  readonly unchecked: boolean;
}

/** Reads the entities of one cluster. */
export class LogRecordsV2 implements LogRecords {
  readonly #parts: LogRecordsParts;

  constructor(parts: LogRecordsParts) {
    this.#parts = parts;
  }

  find(applicationId: string): { user: string; state: string; viewAcl: string | undefined } | undefined {
    const { flows, entities, cluster } = this.#parts;
    const context = flows.contextOf(cluster, applicationId);
    const head = context && entities.find(runScope(context), applicationType, applicationId);
    if (!head) return undefined;
    const info = (name: string) => textOf(entities.infoOf(head.key, name));
    return {
      user: info(applicationNames.user) ?? context.user,
      state: info(applicationNames.state) ?? 'ACCEPTED',
      viewAcl: info(applicationNames.viewAcls),
    };
  }

  findContainer(containerId: string): { host: string | undefined; port: number | undefined } | undefined {
    const { flows, entities, cluster } = this.#parts;
    const context = flows.contextOf(cluster, applicationIdOfContainer(containerId));
    const head = context && entities.find(applicationScope(context), containerType, containerId);
    if (!head) return undefined;
    const port = entities.infoOf(head.key, containerNames.allocatedPort);
    return {
      host: textOf(entities.infoOf(head.key, containerNames.allocatedHost)),
      port: port === undefined ? undefined : Number(port),
    };
  }

  mayReadLogs(...[applicationId, file, user]: Parameters<LogRecords['mayReadLogs']>): boolean {
    const { rules, unchecked } = this.#parts;
    if (unchecked) return true;
    const application = this.find(applicationId);
    if (application) return mayView(rules, application, user);
    return file === undefined || mayView(rules, { user: file.owner, viewAcl: file.viewAcl }, user);
  }
}
