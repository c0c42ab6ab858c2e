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
  state: ApplicationState = 'NEW';

  constructor(record: Omit<ApplicationRecord, 'finished'>) {
    this.id = record.applicationId;
    this.user = record.user;
    this.acls = record.acls;
    this.logAggregation = record.logAggregation;
    this.rolledLogs = new Map(record.rolledLogs?.map(([path, identity, bytes]) => [path, { identity, bytes }]));
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
      finished: this.finishing,
    };
  }
}
