// The entity of timeline v2 as it travels (org.apache.hadoop.yarn.api.records.timelineservice.TimelineEntity).
import type { JsonValue } from './entity.ts';

/** A measured value: one point, or a series of them. */
export interface MetricV2 {
  id: string;
  type?: 'SINGLE_VALUE' | 'TIME_SERIES';
  aggregationOp?: string;
  /** ms since the epoch (as text) → value. */
  values?: Record<string, JsonValue>;
}

/** Something that happened to an entity. */
export interface EventV2 {
  id: string;
  /** ms since the epoch. */
  timestamp: number;
  info?: Record<string, JsonValue>;
}

/** One entity. */
export interface EntityV2 {
  type: string;
  id: string;
  /** Sort key, a 64-bit integer; as text where a number could not hold it. */
  idprefix?: JsonValue;
  /** ms since the epoch. */
  createdtime?: number;
  info?: Record<string, JsonValue>;
  configs?: Record<string, string>;
  metrics?: MetricV2[];
  events?: EventV2[];
  /** Type → ids. */
  relatesto?: Record<string, string[]>;
  isrelatedto?: Record<string, string[]>;
}

/** Which flow an application belongs to. */
export interface FlowContext {
  readonly user: string;
  readonly flow: string;
  readonly version: string;
  /** Flow run id, a number of 64 bits (usually a time in ms). */
  readonly run: number;
}

/** Where the resource manager tells version 2 of applications, and nodes of containers: `{"writes":[…]}`. */
export const systemWritesPath = '/api/v1/timeline/system';
export const nodeWritesPath = '/api/v1/timeline/nodes';

/** What the resource manager tells version 2 about one application; of what nodes tell only the entities of containers are taken. */
export interface SystemWrite {
  readonly applicationId: string;
  /** Given when the application is created. */
  readonly context?: FlowContext;
  /** `start`: its collector takes entities from now on; `stop`: it has ended. */
  readonly collector?: 'start' | 'stop';
  readonly finishedTimeMs?: number;
  readonly entities: readonly EntityV2[];
}
