// `POST /apps`, `POST /apps/new-application` and `POST /api/v1/applications`.
import { createHash } from 'node:crypto';
import { type Answer, empty, json, ok } from '../../http/answers.ts';
import type { Call } from '../../http/service.ts';
import { failure } from '../../model/errors.ts';
import { newApplication } from '../../wire/cluster/application.ts';
import type { SubmittedApplication } from '../../wire/cluster/own-answers.ts';
import { resourceInfoOf } from '../../wire/cluster/resource.ts';
import type { PlainSubmission, SubmissionContext } from '../../wire/cluster/submission.ts';
import type { Cluster } from '../cluster.ts';
import type { Commands } from '../commands/commands.ts';
import type { ApplicationLookup } from '../commands/find-application.ts';
import type { SubmissionKey } from '../commands/submit.ts';
import { commandSubmission } from '../commands/submit-command.ts';
import type { TrialDepth } from '../commands/try-submission.ts';
import { type AdjustmentPorts, adjustmentsOfApplication } from './adjustments.ts';
import type { KnownCaller } from './callers.ts';
import { readRun, readSubmission } from './submission.ts';
import { triedView } from './tried-submission.ts';

/** What these handlers work with. */
export interface SubmissionNeeds extends AdjustmentPorts {
  readonly caller: KnownCaller;
  readonly commands: Pick<Commands, 'newApplication' | 'submit' | 'submitCommand' | 'trySubmission' | 'upcomingApplication'>;
  readonly cluster: ApplicationLookup & Pick<Cluster, 'settings'>;
  /** `yarn.webapp.enable-rest-app-submissions`. */
  readonly submissionsEnabled: boolean;
}

/** This door for submissions can be shut. @throws Failure SUBMISSION_DISABLED */
function mustBeEnabled({ submissionsEnabled }: SubmissionNeeds): void {
  if (!submissionsEnabled) throw failure('SUBMISSION_DISABLED');
}

/** Hands out an id. */
export function answerNewApplication(needs: SubmissionNeeds, call: Call): Answer {
  mustBeEnabled(needs);
  needs.caller(call.caller);
  const { id, maximumResource } = needs.commands.newApplication();
  return ok(newApplication, { 'application-id': id, 'maximum-resource-capability': resourceInfoOf(maximumResource, needs.types) });
}

/** Takes a submission: 202 when it is durable, also for an id that is known already. */
export async function answerSubmission(needs: SubmissionNeeds, call: Call<SubmissionContext>): Promise<Answer> {
  mustBeEnabled(needs);
  const caller = needs.caller(call.caller);
  await needs.commands.submit(caller, readSubmission(call.body));
  return empty(202, {
    location: `${call.scheme}://${call.host}${call.path.replace(/\/$/, '')}/${call.body['application-id']}`,
    'content-type': call.format === 'json' ? 'application/json;charset=utf-8' : 'application/xml; charset=utf-8',
  });
}

const keyHeader = 'idempotency-key';

/** Under which key the caller submits once; the digest is of all that was read of the body. @throws Failure BAD_REQUEST */
function keyOf({ headers, body }: Call<PlainSubmission>): SubmissionKey | undefined {
  const { [keyHeader]: inBody, ...request } = body;
  const given = headers[keyHeader];
  const inHeader = given === undefined ? undefined : String(given);
  if (inHeader !== undefined && inBody !== undefined && inHeader !== inBody)
    throw failure('BAD_REQUEST', { reason: 'the idempotency keys of the header and of the body differ' });
  const key = inHeader ?? inBody;
  if (key === undefined) return undefined;
  return {
    key,
    digest: createHash('sha256')
      .update(JSON.stringify(ordered(request)))
      .digest('base64url'),
  };
}

/** A value of JSON with the members of its objects in the order of their names: however it was written, it is the same request. */
function ordered(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(ordered);
  if (value instanceof Map) return ordered([...value]);
  if (typeof value === 'bigint') return String(value);
  if (typeof value !== 'object' || value === null) return value;
  const members = Object.entries(value).sort(([left], [right]) => (left < right ? -1 : 1));
  return Object.fromEntries(members.map(([name, member]) => [name, ordered(member)]));
}

/**
 * `POST /api/v1/applications`: the same in one call; an id is made where none is given, what is absent stays unset. With an idempotency key
 * a repetition is answered as the first call was, with a header that says so. With `?dryRun=true` it is only said what would come of it, with `admission`
 * only whether it would be refused.
 */
export async function answerPlainSubmission(needs: SubmissionNeeds, call: Call<PlainSubmission>): Promise<Answer> {
  mustBeEnabled(needs);
  const caller = needs.caller(call.caller);
  const depth = depthOf(call);
  const given = call.body['application-id'] ?? (depth ? needs.commands.upcomingApplication() : needs.commands.newApplication().id);
  const request = readSubmission({ ...call.body, 'application-id': given }, 'unset');
  const [run, key] = [readRun(call.body), keyOf(call)];
  if (depth) {
    const tried = await needs.commands.trySubmission(caller, run ? commandSubmission(request, run) : request, key, depth);
    return json(triedView(tried, caller.user, { ...needs, attempts: needs.cluster.settings.maximumAttempts }, request.priority));
  }
  const id = await (run ? needs.commands.submitCommand(caller, request, run, key) : needs.commands.submit(caller, request, key));
  const application = needs.cluster.findAny(id);
  const adjusted = application ? adjustmentsOfApplication(needs, application, request.priority) : [];
  return json({ id, adjusted } satisfies SubmittedApplication, 202, {
    location: `${call.scheme}://${call.host}/api/v1/applications/${id}`,
    ...(id === request.applicationId ? {} : { 'idempotency-replayed': 'true' }),
  });
}

/** How far it is only tried; undefined: it is submitted. @throws Failure BAD_REQUEST */
function depthOf({ query }: Call<PlainSubmission>): TrialDepth | undefined {
  const text = query.first('dryRun') ?? 'false';
  const depth = { true: 'placement', admission: 'admission', false: undefined } as const;
  if (!Object.hasOwn(depth, text)) throw failure('BAD_REQUEST', { reason: 'dryRun must be true, admission or false' });
  return depth[text as keyof typeof depth];
}
