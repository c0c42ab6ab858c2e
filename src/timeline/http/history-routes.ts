// /ws/v1/applicationhistory: applications, attempts and containers that were (AHSWebServices).
import type { RouteAccess } from '../../auth/route-access.ts';
import { type Answer, ok, stream } from '../../http/answers.ts';
import type { Format } from '../../http/negotiate.ts';
import { contentTypes } from '../../http/send.ts';
import type { Call, Service } from '../../http/service.ts';
import type { Clock } from '../../lib/clock.ts';
import { failure } from '../../model/errors.ts';
import {
  applicationIdOfAttempt,
  attemptIdOfContainer,
  formatApplicationId,
  formatAttemptId,
  formatContainerId,
  InvalidId,
  parseApplicationId,
  parseAttemptId,
  parseContainerId,
} from '../../model/ids.ts';
import { writeJson } from '../../wire/codec/json.ts';
import { writeXml } from '../../wire/codec/xml.ts';
import {
  type HistoryApplication,
  historyApplication,
  historyApplications,
  historyAttempt,
  historyAttempts,
  historyContainer,
  historyContainers,
} from '../../wire/timeline/history-records.ts';
import { timelineAbout } from '../../wire/timeline/v1-records.ts';
import type { ApplicationHistory } from '../application-history/history.ts';
import { applicationView, attemptView, containerView } from '../application-history/history-view.ts';
import { readApplicationQuery } from '../application-history/query.ts';
import { aboutOf } from './about.ts';

const base = '/ws/v1/applicationhistory';

/** What the routes need besides the history. */
export interface HistoryRoutesOptions {
  readonly clock: Clock;
  /** Base URL of this server as others reach it. */
  readonly webUrl: () => string;
}

/** Reads an id out of the path: parses it and writes it back in its usual form. */
function idOf<Parts>(call: Call, name: string, word: string, parse: (text: string) => Parts, format: (parts: Parts) => string): string {
  const text = call.params[name] ?? '';
  if (text === '') throw failure('HISTORY_ID_EMPTY', { word, text });
  try {
    return format(parse(text));
  } catch (error) {
    if (error instanceof InvalidId) throw failure('HISTORY_ID_MALFORMED', { reason: error.message });
    throw error;
  }
}

const applicationIdOf = (call: Call) => idOf(call, 'appid', 'appId', parseApplicationId, formatApplicationId);

function attemptIdOf(call: Call): string {
  const applicationId = applicationIdOf(call);
  const attemptId = idOf(call, 'appattemptid', 'appAttemptId', parseAttemptId, formatAttemptId);
  if (applicationIdOfAttempt(attemptId) !== applicationId) throw failure('HISTORY_ID_MISMATCH', { outer: 'appId', inner: 'appAttemptId' });
  return attemptId;
}

function containerIdOf(call: Call): string {
  const attemptId = attemptIdOf(call);
  const containerId = idOf(call, 'containerid', 'containerId', parseContainerId, formatContainerId);
  if (attemptIdOfContainer(containerId) !== attemptId)
    throw failure('HISTORY_ID_MISMATCH', { outer: 'appAttemptId', inner: 'containerId' });
  return containerId;
}

/** Adds the routes of the application history. */
export function addHistoryRoutes(service: Service, history: ApplicationHistory, { clock, webUrl }: HistoryRoutesOptions): void {
  const list = (call: Call): Answer => {
    const query = readApplicationQuery(call.query);
    const slices = history.applications(call.user, query);
    const next = (): HistoryApplication[] | undefined => {
      const step = slices.next();
      return step.done ? undefined : step.value.filter(query.matches).map((seen) => applicationView(seen, clock.now()));
    };
    // Bad values that only an application brings to light must be refused before the answer begins.
    const first = next() ?? [];
    const second = query.mayRefuse ? undefined : next();
    if (second !== undefined) return stream(200, contentTypes[call.format], listText(call.format, [first, second], next));
    for (let more = next(); more; more = next()) first.push(...more);
    return ok(historyApplications, { app: first });
  };
  const route = (path: string, about: string, access: RouteAccess, handle: (call: Call) => Answer) =>
    service.route({ method: 'GET', path: `${base}${path}`, about, access, handle: handle as (call: Call<never>) => Answer });

  route('', 'List applications', 'overview', list);
  route('/about', 'About the application history', 'facts', () => ok(timelineAbout, aboutOf('Generic History Service API')));
  route('/apps', 'List applications', 'overview', list);
  route('/apps/:appid', 'One application', 'overview', (call) =>
    ok(historyApplication, applicationView(history.application(applicationIdOf(call), call.user), clock.now())),
  );
  route('/apps/:appid/appattempts', 'Attempts of an application', 'view', (call) =>
    ok(historyAttempts, { appAttempt: history.attempts(applicationIdOf(call), call.user).map(attemptView) }),
  );
  route('/apps/:appid/appattempts/:appattemptid', 'One attempt', 'view', (call) =>
    ok(historyAttempt, attemptView(history.attempt(attemptIdOf(call), call.user))),
  );
  route('/apps/:appid/appattempts/:appattemptid/containers', 'Containers of an attempt', 'view', (call) => {
    const { containers, owner } = history.containers(attemptIdOf(call), call.user);
    return ok(historyContainers, { container: containers.map((report) => containerView(report, owner, webUrl(), clock.now())) });
  });
  route('/apps/:appid/appattempts/:appattemptid/containers/:containerid', 'One container', 'view', (call) => {
    const { container, owner } = history.container(containerIdOf(call), call.user);
    return ok(historyContainer, containerView(container, owner, webUrl(), clock.now()));
  });
}

/** A long list slice by slice; between slices other requests get their turn. */
async function* listText(
  format: Format,
  begun: HistoryApplication[][],
  next: () => HistoryApplication[] | undefined,
): AsyncGenerator<string> {
  const empty = format === 'xml' ? writeXml(historyApplications, { app: [] }) : '';
  const [open, separator, close] = format === 'xml' ? [empty.replace(/\/>$/, '>'), '', '</apps>'] : ['{"app":[', ',', ']}'];
  const write = (view: HistoryApplication): string =>
    format === 'xml' ? writeXml(historyApplication, view).replace(/^<\?xml[^>]*>/, '') : writeJson(historyApplication, view);
  yield open;
  let any = false;
  for (let slice = begun.shift() ?? next(); slice; slice = begun.shift() ?? next()) {
    if (slice.length > 0) yield (any ? separator : '') + slice.map(write).join(separator);
    any ||= slice.length > 0;
    await new Promise((done) => setImmediate(done));
  }
  yield close;
}
