// Applications as text and back. Containers are not part of it: those of masters have rows of their own, nodes tell of the others.
import { digestOfSecret } from '../../auth/secrets.ts';
import {
  fields,
  type JsonOf,
  type JsonShape,
  many,
  mapOf,
  number,
  optional,
  text,
  truth,
  tuple,
  whole,
  word,
} from '../../lib/json-shape.ts';
import { publicApplicationStates } from '../../model/application-states.ts';
import type { Application } from '../applications/application.ts';
import { applicationStates } from '../applications/application-states.ts';
import type { Attempt } from '../applications/attempt.ts';
import { attemptStates, type PublicAttemptState } from '../applications/attempt-states.ts';
import type { Container } from '../applications/container.ts';
import type { LogAggregationStatus, Submission } from '../applications/submission.ts';
import type { FinishedRow } from './finished-rows.ts';
import { storedJson } from './stored-json.ts';

/** A shape for each member: the compiler tells where one is missing. */
type ShapesOf<T> = Record<keyof T, JsonShape<unknown>>;

const amounts = many(number());
const publicAttemptStates = attemptStates.filter(
  (state): state is PublicAttemptState => state !== 'FINAL_SAVING' && state !== 'LAUNCHED_UNMANAGED_SAVING',
);

const localResource = fields({
  resource: text(),
  type: word('FILE', 'ARCHIVE', 'PATTERN'),
  visibility: word('PUBLIC', 'PRIVATE', 'APPLICATION'),
  size: number(),
  timestamp: number(),
  pattern: optional(text()),
});

const launch = fields({
  commands: many(text()),
  environment: mapOf(text()),
  localResources: mapOf(localResource),
  serviceData: mapOf(text()),
  tokens: optional(text()),
  secretEnvironment: optional(mapOf(text())),
  retry: optional(
    fields({
      policy: word('NEVER_RETRY', 'RETRY_ON_ALL_ERRORS', 'RETRY_ON_SPECIFIC_ERROR_CODES'),
      errorCodes: optional(many(number())),
      maximumRetries: optional(number()),
      intervalMs: optional(number()),
      failuresValidityIntervalMs: optional(number()),
    }),
  ),
});

const logAggregationContext = fields({
  includePattern: optional(text()),
  excludePattern: optional(text()),
  rolledLogsIncludePattern: optional(text()),
  rolledLogsExcludePattern: optional(text()),
  policyClassName: optional(text()),
  policyParameters: optional(text()),
});

const submission = fields({
  applicationId: text(),
  name: text(),
  queue: optional(text()),
  priority: number(),
  type: text(),
  tags: many(text()),
  unmanaged: truth(),
  maximumAttempts: number(),
  keepContainers: truth(),
  failuresValidityIntervalMs: number(),
  resource: amounts,
  masterPlaces: optional(fields({ nodes: many(text()), racks: many(text()), relaxed: truth() })),
  masterBlacklisting: optional(fields({ enabled: truth(), threshold: optional(number()) })),
  launch,
  viewAcl: optional(text()),
  modifyAcl: optional(text()),
  applicationLabelExpression: optional(text()),
  masterLabelExpression: optional(text()),
  logAggregation: optional(logAggregationContext),
  reservationId: optional(text()),
  lifetimeSeconds: optional(number()),
} satisfies ShapesOf<Submission>);

/** What earlier versions kept of an attempt. */
interface FormerAttempt {
  readonly namedSessions?: number;
}

const attemptDocument = fields({
  id: text(),
  applicationId: text(),
  number: whole(),
  state: word(...attemptStates),
  stateBefore: word(...publicAttemptStates),
  startedMs: number(),
  finishedMs: number(),
  masterContainerId: optional(text()),
  masterNodeId: optional(text()),
  masterNodeHttpAddress: optional(text()),
  host: text(),
  rpcPort: number(),
  originalTrackingUrl: optional(text()),
  progress: number(),
  finalStatus: word('UNDEFINED', 'SUCCEEDED', 'FAILED', 'KILLED', 'ENDED'),
  diagnostics: text(),
  launchDiagnostics: text(),
  exitCode: number(),
  registered: truth(),
  blacklistedNodes: many(text()),
  token: text(),
  /** Absent in those that earlier versions kept. */
  tokenDigest: optional(text()),
  responseId: number(),
  /** All absent in those that earlier versions kept; one of them counted sessions by the last name, those with a named registration alone. */
  registrationIds: optional(many(text())),
  sessions: optional(whole()),
  namedSessions: optional(whole()),
  lastContainerNumber: number(),
} satisfies ShapesOf<Omit<Attempt, 'containers'> & FormerAttempt>);

const sums = {
  resourceSeconds: fields({
    used: amounts,
    preempted: amounts,
    preemptedResource: amounts,
    preemptedMasters: number(),
    preemptedOthers: number(),
  }),
  /** Absent in those that earlier versions kept. */
  endedContainers: optional(fields({ succeeded: whole(), failed: whole(), stopped: whole() })),
} satisfies ShapesOf<Pick<Application, 'resourceSeconds' | 'endedContainers'>>;

/** What the ended containers of a live application add up to, and in which version of it. */
export const sumsDocument = fields({ ...sums, version: number() });

/** The text of the sums of an application. */
export function sumsToText({ resourceSeconds, endedContainers, version }: Application): string {
  return JSON.stringify({ resourceSeconds, endedContainers, version } satisfies JsonOf<typeof sumsDocument>);
}

/** Gives an application the sums of a text, where they are later than its own. @throws Error where the text is not one of sums */
export function takeSums(application: Application, written: string): void {
  const later = storedJson(sumsDocument, written, 'what an application used') as Pick<
    Application,
    'resourceSeconds' | 'endedContainers' | 'version'
  >;
  if (later.version > application.version) Object.assign(application, later);
}

/** What is kept of an application, live or ended. */
export const applicationDocument = fields({
  id: text(),
  submission,
  user: text(),
  queue: text(),
  /** Absent in those that earlier versions kept. */
  submittedQueue: optional(text()),
  priority: number(),
  state: word(...applicationStates),
  stateBefore: word(...publicApplicationStates),
  submittedMs: number(),
  startedMs: number(),
  launchedMs: number(),
  finishedMs: number(),
  diagnostics: text(),
  target: optional(word('FINISHING', 'FINISHED', 'FAILED', 'KILLED')),
  attempts: many(attemptDocument),
  maximumAttempts: number(),
  failures: many(number()),
  lifetimeExpiryMs: optional(number()),
  maximumLifetimeSeconds: number(),
  wantedInstances: optional(number()),
  ...sums,
  logAggregation: many(
    tuple(
      text(),
      fields({
        status: word('DISABLED', 'NOT_START', 'RUNNING', 'RUNNING_WITH_FAILURE', 'SUCCEEDED', 'FAILED', 'TIME_OUT'),
        diagnostics: text(),
      }),
    ),
  ),
  logAggregationEnabled: truth(),
  /** Absent in those that earlier versions kept. */
  blacklistedBySystem: optional(many(text())),
  version: number(),
  admitted: truth(),
  scheduled: truth(),
} satisfies ShapesOf<Omit<Application, 'uncountedEnds'>>);

/** The text of an application. `ended` leaves out what only a live one needs: commands, environment, secrets. */
export function applicationToText(application: Application, ended: boolean): string {
  const { attempts, logAggregation, submission, uncountedEnds: _uncountedEnds, ...rest } = application;
  const document = {
    ...rest,
    submission: ended ? { ...submission, launch: { commands: [], environment: {}, localResources: {}, serviceData: {} } } : submission,
    attempts: attempts.map(({ containers: _containers, blacklistedNodes, token, tokenDigest, registrationIds, ...attempt }) => ({
      ...attempt,
      registrationIds: ended ? [] : registrationIds,
      token: ended ? '' : token,
      tokenDigest: ended && token !== '' ? digestOfSecret(token) : tokenDigest,
      blacklistedNodes: [...blacklistedNodes],
    })),
    logAggregation: [...logAggregation],
  };
  return JSON.stringify(document);
}

type ReadDocument = Omit<Application, 'attempts' | 'uncountedEnds' | 'logAggregation' | 'submittedQueue' | 'blacklistedBySystem'> & {
  readonly attempts: readonly (Omit<Attempt, 'containers' | 'blacklistedNodes' | 'tokenDigest' | 'registrationIds' | 'sessions'> &
    FormerAttempt & {
      readonly blacklistedNodes: readonly string[];
      readonly tokenDigest?: string;
      readonly registrationIds?: readonly string[];
      readonly sessions?: number;
    })[];
  readonly logAggregation: readonly (readonly [string, { status: LogAggregationStatus; diagnostics: string }])[];
  readonly submittedQueue?: string;
  readonly blacklistedBySystem?: string[];
};

/** The application of a text, without containers. @throws Error where the text is not one of an application */
export function applicationFromText(written: string): Application {
  // It was looked at, and is nobody else's: members that may be absent are undefined, and all may be changed.
  const document = storedJson(applicationDocument, written, 'an application') as unknown as ReadDocument;
  return {
    ...document,
    uncountedEnds: new Set(),
    blacklistedBySystem: document.blacklistedBySystem ?? [],
    submittedQueue: document.submittedQueue ?? (document.admitted ? document.queue : ''),
    attempts: document.attempts.map(({ namedSessions, ...attempt }) => ({
      ...attempt,
      tokenDigest: attempt.tokenDigest ?? '',
      registrationIds: attempt.registrationIds ?? [],
      sessions: attempt.sessions ?? namedSessions ?? 0,
      containers: new Map<string, Container>(),
      blacklistedNodes: new Set(attempt.blacklistedNodes),
    })),
    logAggregation: new Map(document.logAggregation),
  };
}

/** What of an ended application is kept in columns. */
export type ApplicationColumns = Pick<
  FinishedRow,
  'id' | 'user' | 'name' | 'queue' | 'type' | 'tags' | 'state' | 'started_ms' | 'finished_ms' | 'priority'
>;

/** An ended application of which only the columns can be read: nobody but its user and administrators may view it. */
export function applicationOfColumns(row: ApplicationColumns): Application {
  const state = (['FINISHED', 'FAILED', 'KILLED'] as const).find((known) => known === row.state) ?? 'FAILED';
  return {
    id: row.id,
    submission: {
      applicationId: row.id,
      name: row.name,
      queue: row.queue,
      priority: row.priority,
      type: row.type,
      tags: row.tags.split(',').filter((tag) => tag !== ''),
      unmanaged: false,
      maximumAttempts: 0,
      keepContainers: false,
      failuresValidityIntervalMs: -1,
      resource: [0, 0],
      launch: { commands: [], environment: {}, localResources: {}, serviceData: {} },
      viewAcl: undefined,
      modifyAcl: undefined,
      applicationLabelExpression: undefined,
      masterLabelExpression: undefined,
      logAggregation: undefined,
      reservationId: undefined,
      lifetimeSeconds: undefined,
    },
    user: row.user,
    queue: row.queue,
    submittedQueue: row.queue,
    priority: row.priority,
    state,
    stateBefore: state,
    submittedMs: row.started_ms,
    startedMs: row.started_ms,
    launchedMs: 0,
    finishedMs: row.finished_ms,
    diagnostics: 'What was kept of this application cannot be read any more.',
    target: undefined,
    attempts: [],
    maximumAttempts: 0,
    failures: [],
    lifetimeExpiryMs: undefined,
    maximumLifetimeSeconds: -1,
    wantedInstances: undefined,
    resourceSeconds: { used: [0, 0], preempted: [0, 0], preemptedResource: [0, 0], preemptedMasters: 0, preemptedOthers: 0 },
    endedContainers: undefined,
    uncountedEnds: new Set(),
    logAggregation: new Map(),
    logAggregationEnabled: false,
    blacklistedBySystem: [],
    version: 1,
    admitted: false,
    scheduled: false,
  };
}
