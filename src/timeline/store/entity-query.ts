// What is asked of the entities of timeline v1.
import type { JsonValue } from '../../wire/timeline/entity.ts';

/** Parts of an entity that a reader may ask for (TimelineReader.Field). */
export const entityFields = ['EVENTS', 'LASTEVENTONLY', 'RELATEDENTITIES', 'PRIMARYFILTERS', 'OTHERINFO'] as const;
export type EntityField = (typeof entityFields)[number];

/** What identifies an entity in the database, and what is always shown of it. */
export interface EntityHead {
  readonly key: number;
  readonly type: string;
  readonly id: string;
  readonly startMs: number;
  readonly domain: string;
}

/** A filter on a name and a value. */
export interface NameValue {
  readonly name: string;
  readonly value: JsonValue;
}

/** A list query; times in ms since the epoch. */
export interface EntityQuery {
  readonly type: string;
  readonly primaryFilter?: NameValue;
  readonly secondaryFilters?: readonly NameValue[];
  /** Start time above. */
  readonly windowStartMs?: number;
  /** Start time not above. */
  readonly windowEndMs?: number;
  readonly fromId?: string;
  /** Only entities inserted not after this. */
  readonly fromInsertedMs?: number;
  readonly limit: number;
  readonly fields: ReadonlySet<EntityField>;
  /** Whether the reader may see an entity of this domain. */
  readonly visible: (head: EntityHead) => boolean;
}

export interface EventQuery {
  readonly type: string;
  readonly ids: readonly string[];
  readonly eventTypes?: ReadonlySet<string>;
  readonly windowStartMs?: number;
  readonly windowEndMs?: number;
  readonly limit: number;
}

/** The start time of an entity put without any; on the wire Java's Long.MAX_VALUE, which is what Hadoop stores. */
export const noStartMs = Number.MAX_SAFE_INTEGER;
