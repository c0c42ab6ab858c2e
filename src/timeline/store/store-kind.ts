// What the store of the timeline holds: its schema, and what the texts in it must look like.
import { decodeIdentifier } from '../../auth/delegation/token-identifier.ts';
import { anything, isObject, type JsonShape, many, text } from '../../lib/json-shape.ts';
import { jsonFault, type RowCheck, type StoreKind } from '../../storage/store-kind.ts';
import { timelineMigrations } from './migrations.ts';

/** Rows of entities are many: each is looked at when it is read. */
const column = (table: string, name: string, described: JsonShape<unknown>): RowCheck => ({
  table,
  atStart: false,
  fault: (row) => {
    const fault = jsonFault(described, row[name]);
    return fault && `${name} ${fault}`;
  },
});
const value = anything();
const object: JsonShape<unknown> = {
  fault: (found) => (isObject(found) ? undefined : { path: '', problem: 'is no object' }),
  schema: () => ({ type: 'object' }),
};

const documentFault = column('views', 'document', object).fault;

export const timelineStore: StoreKind = {
  name: 'the store of the timeline',
  migrations: timelineMigrations,
  rows: [
    { table: 'domains', atStart: true, fault: () => undefined },
    { table: 'token_keys', atStart: true, fault: () => undefined },
    {
      table: 'tokens',
      atStart: true,
      fault: ({ identifier }) =>
        identifier instanceof Uint8Array && decodeIdentifier(Buffer.from(identifier)) ? undefined : 'identifier is not one of a token',
    },
    { ...column('views', 'document', object), fault: (row) => (row['document'] === null ? undefined : documentFault(row)) },
    column('view_events', 'info', object),
    column('view_info', 'value', value),
    column('view_filters', 'value', value),
    column('info_chunks', 'keys', many(text())),
    column('v2_info', 'value', value),
    column('v2_metrics', 'value', value),
    column('v2_events', 'info', object),
    column('v2_relations', 'ids', many(text())),
  ],
};
