// `getApplications`: what a question says, and the reports of whom it is about (ClientRMService.getApplications). Found in slices that
// give the event loop back.

import type { ApplicationTokens } from '../../auth/application-tokens/open-tokens.ts';
import type { RpcCall } from '../../rpc/protocol.ts';
import { madeInSlices } from '../../rpc/sliced-list.ts';
import type { SchedulingPolicy } from '../../scheduler/policy.ts';
import { encodeAhead } from '../../wire/rpc/codec.ts';
import type { Decoded } from '../../wire/rpc/message.ts';
import { ApplicationReportProto } from '../../wire/rpc/tables/applications.ts';
import type { GetApplicationsRequestProto } from '../../wire/rpc/tables/client-service.ts';
import type { ApplicationFilter } from '../views/application-filter.ts';
import { type Candidate, findApplications } from '../views/find-applications.ts';
import type { Parts } from '../views/parts.ts';
import { type ApplicationReport, applicationReport } from './application-reports.ts';
import { reportTokens } from './report-tokens.ts';

type Question = Decoded<typeof GetApplicationsRequestProto>;

const setOf = <T>(values: readonly T[]): ReadonlySet<T> | undefined => (values.length > 0 ? new Set(values) : undefined);

/** Reports of the applications that a question is about, as `user` may see them, encoded ahead. */
export async function answerApplications(
  { parts, applicationTokens }: { readonly parts: Parts; readonly applicationTokens: ApplicationTokens },
  question: Question,
  user: string | undefined,
  growsLong: RpcCall<unknown>['growsLong'],
): Promise<ApplicationReport[]> {
  const limit = question.limit ?? Number.POSITIVE_INFINITY;
  const hidesInvisible = question.scope === 'VIEWABLE' || parts.listsOnlyVisible;
  const isAbout = (one: Candidate) => question.scope !== 'OWN' || one.user === user;
  const filter = filterOf(question, parts.policy);
  const candidates = findApplications(parts, { filter, user, hidesInvisible, texts: 'none', wanted: limit });
  const make = (one: Candidate | undefined): ApplicationReport | undefined => {
    if (!one || !isAbout(one)) return undefined;
    const application = one.application();
    const tokens = reportTokens(applicationTokens, application, { user, isVisible: one.visible });
    return encodeAhead(ApplicationReportProto, applicationReport(parts.views, application, one.visible, tokens));
  };
  return madeInSlices({ items: candidates, limit, make, growsLong });
}

/** The queue's full name where the policy knows it, else as given. */
function queueOf(policy: Pick<SchedulingPolicy, 'queueOfFilter'>, name: string): string {
  const known = policy.queueOfFilter(name);
  return typeof known === 'object' ? known.queue : name;
}

const filterOf = (question: Question, policy: Pick<SchedulingPolicy, 'queueOfFilter'>): ApplicationFilter => ({
  states: setOf<string>(question.application_states),
  users: setOf(question.users),
  types: setOf(question.application_types.map((type) => type.toLowerCase())),
  tags: setOf(question.applicationTags.map((tag) => tag.toLowerCase())),
  name: question.name,
  queues: setOf(question.queues.map((name) => queueOf(policy, name))),
  startedFromMs: question.start_begin,
  startedToMs: question.start_end,
  finishedFromMs: question.finish_begin,
  finishedToMs: question.finish_end,
});
