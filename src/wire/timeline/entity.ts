// The entity of timeline v1 as it travels: what publishers send and readers get (org.apache.hadoop.yarn.api.records.timeline.TimelineEntity).

/** A value of JSON. */
export type JsonValue = string | number | boolean | null | JsonValue[] | { [name: string]: JsonValue };

/** Something that happened to an entity at a moment. */
export interface TimelineEvent {
  /** ms since the epoch. */
  timestamp: number;
  eventtype: string;
  eventinfo?: Record<string, JsonValue>;
}

/** One entity of timeline v1; `entity` is its id. */
export interface TimelineEntity {
  entity: string;
  entitytype: string;
  /** ms since the epoch; without it the time of the first event counts. */
  starttime?: number;
  events?: TimelineEvent[];
  primaryfilters?: Record<string, JsonValue[]>;
  otherinfo?: Record<string, JsonValue>;
  /** Type of the related entity → its ids. */
  relatedentities?: Record<string, string[]>;
  domain?: string;
}

/** Error codes of TimelinePutResponse.TimelinePutError. */
export const putErrorCodes = {
  NO_START_TIME: 1,
  IO_EXCEPTION: 2,
  ACCESS_DENIED: 4,
  NO_DOMAIN: 5,
  FORBIDDEN_RELATION: 6,
  EXPIRED_ENTITY: 7,
} as const;

/** Why an entity of a put was refused (TimelinePutResponse.TimelinePutError). */
export interface TimelinePutError {
  entity: string;
  entitytype: string;
  /** One of `putErrorCodes`. */
  errorcode: number;
}

/** A domain: who may read and write the entities in it. */
export interface TimelineDomain {
  id: string;
  description?: string;
  owner?: string;
  readers?: string;
  writers?: string;
  createdtime?: number;
  modifiedtime?: number;
}
