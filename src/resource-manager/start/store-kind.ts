// What the store of the resource manager holds: its schema, and the shapes of everything that its parts keep there as text.

import { keptToken } from '../../auth/bearer/token-registry.ts';
import { anything, type JsonShape, many } from '../../lib/json-shape.ts';
import { jsonFault, type RowCheck, type StoredRow, type StoreKind } from '../../storage/store-kind.ts';
import { storedQueueHistory } from '../../wire/cluster/own-answers.ts';
import { submittedWork } from '../../wire/cluster/submitted.ts';
import { keptSubmissionKey } from '../applications/submission-keys.ts';
import { attributesKind, storedAttributes } from '../labels/attribute-manager.ts';
import { labelKind, nodeLabelKind } from '../labels/label-manager.ts';
import { queueConfigurationName, storedConfiguration } from '../queue-configuration.ts';
import { queueHistoryName } from '../queue-history.ts';
import { storedReservation } from '../reservations/plan.ts';
import { reservationKind } from '../reservations/reservation-system.ts';
import { keptSchedule, scheduleKind } from '../schedules/schedule-store.ts';
import { bearerTokenKind } from '../security/bearer-store.ts';
import { storedToken, storedTokenKey, tokenKeyKind, tokenKind, tokenSequenceName } from '../security/token-store.ts';
import { applicationDocument } from '../store/application-document.ts';
import { containerDocument } from '../store/container-document.ts';
import { faultOfKeptText } from '../store/kept-texts.ts';
import { migrations } from '../store/migrations.ts';
import { leavingKind, leavingNode, nodeSize, sizeKind } from '../store/node-orders.ts';
import { submissionKeyKind } from '../store/resource-manager-store.ts';
import { keptWebhook, storedSubject, webhookKind } from '../webhooks/webhook-store.ts';

/** Single values that the start keeps under names of `meta`. */
export const metaNames = {
  containerKey: 'container-token-key',
  masterKey: 'master-token-key',
  epoch: 'epoch',
  started: 'started',
} as const;

const isNumber = (value: unknown): string | undefined => (/^\d{1,15}$/.test(String(value)) ? undefined : 'is no number');
const isKey = (value: unknown): string | undefined => (/^[A-Za-z0-9+/]{43}=$/.test(String(value)) ? undefined : 'is no key');
const json =
  (described: JsonShape<unknown>) =>
  (value: StoredRow[string] | undefined): string | undefined =>
    jsonFault(described, value);
const plainText = (): undefined => undefined;

type Faults = Readonly<Record<string, (value: StoredRow[string] | undefined) => string | undefined>>;

const metaFaults: Faults = {
  [metaNames.containerKey]: isKey,
  [metaNames.masterKey]: isKey,
  [metaNames.epoch]: isNumber,
  [metaNames.started]: isNumber,
  // Empty: the file counts.
  [queueConfigurationName]: (value) => (value === '' ? undefined : jsonFault(storedConfiguration, value)),
  [queueHistoryName]: json(storedQueueHistory),
  [tokenSequenceName]: isNumber,
};

const recordFaults: Faults = {
  [labelKind]: plainText,
  [nodeLabelKind]: plainText,
  [attributesKind]: json(storedAttributes),
  [reservationKind]: json(storedReservation),
  [leavingKind]: json(leavingNode),
  [sizeKind]: json(nodeSize),
  [tokenKeyKind]: json(storedTokenKey),
  [tokenKind]: json(storedToken),
  [bearerTokenKind]: json(keptToken),
  [scheduleKind]: json(keptSchedule),
  [webhookKind]: json(keptWebhook),
  [submissionKeyKind]: json(keptSubmissionKey),
};

/** Names and kinds that this version does not know are others' and stay. */
const named = (faults: Faults, name: StoredRow[string] | undefined, value: StoredRow[string] | undefined): string | undefined => {
  const fault = typeof name === 'string' && Object.hasOwn(faults, name) ? faults[name]?.(value) : undefined;
  return fault && `${name} ${fault}`;
};

const column = (table: string, name: string, described: JsonShape<unknown>, atStart = true): RowCheck => ({
  table,
  atStart,
  fault: (row) => {
    const fault = jsonFault(described, row[name]);
    return fault && `${name} ${fault}`;
  },
});

export const resourceManagerStore: StoreKind = {
  name: 'the store of the resource manager',
  migrations,
  rows: [
    { table: 'meta', atStart: true, fault: ({ key, value }) => named(metaFaults, key, value) },
    { table: 'records', atStart: true, fault: ({ kind, value }) => named(recordFaults, kind, value) },
    column('containers', 'record', containerDocument),
    // Each is looked at when it is read: the live ones are with each start, and of finished ones there are as many as are kept.
    column('live_applications', 'document', applicationDocument, false),
    column('finished_applications', 'document', applicationDocument, false),
    column('finished_work', 'work', submittedWork, false),
    {
      // While the timeline is away there may be very many. What is sent is looked at where the timeline does not take it (outbox.ts).
      table: 'outbox',
      atStart: false,
      fault: ({ texts }) => {
        const fault = jsonFault(many(anything()), typeof texts === 'string' ? `[${texts}]` : texts);
        return fault && `texts ${fault}`;
      },
    },
    column('webhook_events', 'body', anything()),
    {
      table: 'webhook_events',
      atStart: true,
      fault: ({ subject }) => {
        const fault = subject === '' ? undefined : jsonFault(storedSubject, subject);
        return fault && `subject ${fault}`;
      },
    },
  ],
  remade: (['json', 'xml'] as const).map((format) => ({
    table: 'finished_applications',
    column: format,
    fault: ({ [format]: text, id }) => faultOfKeptText(format, text, id),
  })),
};
