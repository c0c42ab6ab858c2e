// One application on a node: its owner, its access lists, its containers. `apply` is the only door for its state.
import { fields, type JsonOf, many, number, optional, text, truth, tuple } from '../../lib/json-shape.ts';
import { nextState } from '../../lib/state-machine.ts';
import type { LogAggregationContext } from '../../wire/cluster/container-messages.ts';
import { applicationAcls, logAggregationContext } from '../../wire/cluster/container-messages.ts';
import type { Container } from '../containers/container.ts';
import { type ApplicationEvent, type ApplicationState, applicationTable } from './application-states.ts';

/** What of an application survives a restart. */
export const applicationRecord = fields({
  applicationId: text(),
  user: text(),
  acls: applicationAcls,
  logAggregation: optional(logAggregationContext),
  /** What of its rolled logs was gathered already: path, identity, bytes. */
  rolledLogs: optional(many(tuple(text(), text(), number()))),
  /** A file of gathered logs that is being written: the last one, or with what it holds: path, identity, bytes of local ones. */
  upload: optional(fields({ file: text(), isLast: truth(), taken: many(tuple(text(), text(), number())) })),
  /** All its logs were gathered: what is left of them here may go, and is not gathered again. */
  logsGathered: optional(truth()),
  /** The resource manager said that it is over. */
  finished: truth(),
});
export type ApplicationRecord = JsonOf<typeof applicationRecord>;

/** An application of which this node has or had containers. */
export class Application {
  readonly id: string;
  readonly user: string;
  readonly acls: ApplicationRecord['acls'];
  readonly logAggregation: LogAggregationContext | undefined;
  readonly containers = new Map<string, Container>();
  /** Every container that ever started here, with what the aggregation of its logs asks about. */
  readonly startedContainers = new Map<string, { readonly isMaster: boolean; exitCode: number }>();
  /** How much of which log file was gathered while it runs, by the file's path. */
  readonly rolledLogs: Map<string, { readonly identity: string; readonly bytes: number }>;
  /** The file of gathered logs that is being written, or was when an earlier process ended. */
  upload: ApplicationRecord['upload'];
  logsGathered: boolean;
  state: ApplicationState = 'NEW';

  constructor(record: Omit<ApplicationRecord, 'finished'>) {
    this.id = record.applicationId;
    this.user = record.user;
    this.acls = record.acls;
    this.logAggregation = record.logAggregation;
    this.rolledLogs = new Map(record.rolledLogs?.map(([path, identity, bytes]) => [path, { identity, bytes }]));
    this.upload = record.upload;
    this.logsGathered = record.logsGathered ?? false;
  }

  /** Takes an event; false where its state does not allow it, and then nothing changes. */
  apply(event: ApplicationEvent): boolean {
    const next = nextState<ApplicationState, ApplicationEvent>(applicationTable, this.state, event);
    if (next === undefined) return false;
    this.state = next;
    return true;
  }

  /** Whether the resource manager said that it is over. */
  get finishing(): boolean {
    return this.state !== 'NEW' && this.state !== 'INITING' && this.state !== 'RUNNING';
  }

  /** Whether a container is left whose processes may run. */
  get hasLiveContainers(): boolean {
    for (const container of this.containers.values()) if (container.state !== 'DONE') return true;
    return false;
  }

  record(): ApplicationRecord {
    return {
      applicationId: this.id,
      user: this.user,
      acls: this.acls,
      logAggregation: this.logAggregation,
      ...(this.rolledLogs.size > 0
        ? { rolledLogs: [...this.rolledLogs].map(([path, { identity, bytes }]) => [path, identity, bytes] as const) }
        : {}),
      ...(this.upload ? { upload: this.upload } : {}),
      ...(this.logsGathered ? { logsGathered: true } : {}),
      finished: this.finishing,
    };
  }
}
