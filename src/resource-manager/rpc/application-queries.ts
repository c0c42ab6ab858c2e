// `getApplications`: live applications from memory, ended ones from the store (ClientRMService.getApplications). Found in slices that give
// the event loop back.
import type { Decoded } from '../../wire/rpc/message.ts';
import type { GetApplicationsRequestProto } from '../../wire/rpc/tables/client-service.ts';
import { type Application, publicState } from '../applications/application.ts';
import { isVisible } from '../http/application-list.ts';
import type { Parts } from '../http/parts.ts';
import type { FinishedFilter } from '../store/finished-queries.ts';
import { type ApplicationReport, applicationReport } from './application-reports.ts';

type Question = Decoded<typeof GetApplicationsRequestProto>;

const rowsPerSlice = 50;
/** The most of one slice of the event loop. */
const sliceMs = 4;

const pause = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
const setOf = <T>(values: readonly T[]): ReadonlySet<T> | undefined => (values.length > 0 ? new Set(values) : undefined);

/** Reports of the applications that a question is about, as `user` may see them. */
export async function findApplications(parts: Parts, question: Question, user: string | undefined): Promise<ApplicationReport[]> {
  const found: ApplicationReport[] = [];
  const limit = question.limit ?? Number.POSITIVE_INFINITY;
  let sinceMs = performance.now();
  for (const report of reports(parts, question, user)) {
    if (report) found.push(report);
    if (found.length >= limit) break;
    if (performance.now() - sinceMs < sliceMs) continue;
    await pause();
    sinceMs = performance.now();
  }
  return found;
}

/** Reports one by one; undefined where one was looked at and left out. */
function* reports(parts: Parts, question: Question, user: string | undefined): Generator<ApplicationReport | undefined> {
  const { cluster, access, views, listsOnlyVisible } = parts;
  const isWanted = filterOf(parts, question);
  const told = new Set<string>();
  const within = (owner: string, visible: boolean): boolean =>
    (question.scope !== 'OWN' || owner === user) && ((question.scope !== 'VIEWABLE' && !listsOnlyVisible) || visible);
  for (const application of [...cluster.view.applications()]) {
    const visible = access.mayView(application, user);
    const passes = within(application.user, visible) && isWanted(factsOf(application));
    if (passes) told.add(application.id);
    yield passes ? applicationReport(views, application, visible) : undefined;
  }
  for (const row of finished(parts, question)) {
    const visible = row && isVisible(parts, row, user);
    const passes =
      row !== undefined &&
      !told.has(row.id) &&
      cluster.view.application(row.id) === undefined &&
      within(row.user, visible!) &&
      isWanted({ ...row, startedMs: row.started_ms, finishedMs: row.finished_ms, tags: row.tags === '' ? [] : row.tags.split(',') });
    yield passes ? applicationReport(views, parts.store.applicationOfBrief(row), visible!) : undefined;
  }
}

interface Facts {
  readonly id: string;
  readonly state: string;
  readonly user: string;
  readonly queue: string;
  readonly type: string;
  readonly tags: readonly string[];
  readonly name: string;
  readonly startedMs: number;
  readonly finishedMs: number;
}

const factsOf = (application: Application): Facts => ({
  id: application.id,
  state: publicState(application),
  user: application.user,
  queue: application.queue,
  type: application.submission.type,
  tags: application.submission.tags,
  name: application.submission.name,
  startedMs: application.startedMs,
  finishedMs: application.finishedMs,
});

function filterOf({ policy }: Parts, question: Question): (facts: Facts) => boolean {
  const states = setOf<string>(question.application_states);
  const users = setOf(question.users);
  const types = setOf(question.application_types.map((type) => type.toLowerCase()));
  const tags = setOf(question.applicationTags.map((tag) => tag.toLowerCase()));
  const queues = setOf(
    question.queues.map((name) => {
      const known = policy.queueOfFilter(name);
      return typeof known === 'object' ? known.queue : name;
    }),
  );
  const between = (value: number, from: number | undefined, to: number | undefined) =>
    value >= (from ?? 0) && value <= (to ?? Number.POSITIVE_INFINITY);
  return (facts) =>
    (states === undefined || states.has(facts.state)) &&
    (users === undefined || users.has(facts.user)) &&
    (types === undefined || types.has(facts.type.toLowerCase())) &&
    (tags === undefined || facts.tags.some((tag) => tags.has(tag.toLowerCase()))) &&
    (queues === undefined || queues.has(facts.queue)) &&
    (question.name === undefined || question.name === facts.name) &&
    between(facts.startedMs, question.start_begin, question.start_end) &&
    between(facts.finishedMs, question.finish_begin, question.finish_end);
}

/** Rows of ended applications; undefined before each slice. */
function* finished({ store }: Parts, { application_states: states, users }: Question) {
  const filter: FinishedFilter = { ...(states.length > 0 ? { states } : {}), ...(users.length > 0 ? { users } : {}) };
  for (let after = 0; ; ) {
    const slice = store.finishedSlice(filter, after, rowsPerSlice, 'none');
    yield undefined;
    for (const row of slice) {
      after = row.number;
      yield row;
    }
    if (slice.length < rowsPerSlice) return;
  }
}
