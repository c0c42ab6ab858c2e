// /ws/v1/applicationhistory: applications, attempts and containers that were (AHSWebServices).
import type { RouteAccess } from '../../auth/route-access.ts';
import { type Answer, ok } from '../../http/answers.ts';
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
import type { RecordDescription } from '../../wire/codec/describe.ts';
import { writeJson } from '../../wire/codec/json.ts';
import { writeXmlElement, xmlPrologue } from '../../wire/codec/xml.ts';
import {
  type HistoryApplication,
  type HistoryContainer,
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
import { type ParameterSource, readApplicationQuery } from '../application-history/query.ts';
import { aboutOf } from './about.ts';
import { type ListForm, type LongAnswerParts, listPieces, longAnswer } from './long-answer.ts';

const base = '/ws/v1/applicationhistory';
/** What Hadoop takes from the query of the whole list. */
const noParameters: ParameterSource = { first: () => undefined, all: () => [] };

/** What the routes need besides the history. */
export interface HistoryRoutesOptions {
  readonly clock: Clock;
  /** Base URL of this server as others reach it. */
  readonly webUrl: () => string;
  readonly long: LongAnswerParts;
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

const parsedAttemptIdOf = (call: Call) => idOf(call, 'appattemptid', 'appAttemptId', parseAttemptId, formatAttemptId);

function mustBeOf(applicationId: string, attemptId: string): string {
  if (applicationIdOfAttempt(attemptId) !== applicationId) throw failure('HISTORY_ID_MISMATCH', { outer: 'appId', inner: 'appAttemptId' });
  return attemptId;
}

const attemptIdOf = (call: Call): string => mustBeOf(applicationIdOf(call), parsedAttemptIdOf(call));

/** Every id is parsed before one is compared with another (WebServices.getContainer). */
function containerIdOf(call: Call): string {
  const applicationId = applicationIdOf(call);
  const attemptId = parsedAttemptIdOf(call);
  const containerId = idOf(call, 'containerid', 'containerId', parseContainerId, formatContainerId);
  if (attemptIdOfContainer(containerId) !== mustBeOf(applicationId, attemptId))
    throw failure('HISTORY_ID_MISMATCH', { outer: 'appAttemptId', inner: 'containerId' });
  return containerId;
}

/** Adds the routes of the application history. */
export function addHistoryRoutes(service: Service, history: ApplicationHistory, { clock, webUrl, long }: HistoryRoutesOptions): void {
  const list = async (call: Call, parameters: ParameterSource = call.query): Promise<Answer> => {
    const query = readApplicationQuery(parameters);
    function* found(): Generator<HistoryApplication | undefined, undefined> {
      for (const seen of history.applications(call.user, query)) yield query.matches(seen) ? applicationView(seen, clock.now()) : undefined;
    }
    return longAnswer(
      listPieces(found(), listForm(call.format, historyApplications, 'app', historyApplication)),
      contentTypes[call.format],
      long,
    );
  };
  const route = (path: string, about: string, access: RouteAccess, handle: (call: Call) => Answer | Promise<Answer>) =>
    service.route({ method: 'GET', path: `${base}${path}`, about, access, handle: handle as (call: Call<never>) => Promise<Answer> });

  route('', 'List all applications', 'overview', (call) => list(call, noParameters));
  route('/about', 'About the application history', 'facts', () => ok(timelineAbout, aboutOf('Generic History Service API')));
  route('/apps', 'List applications', 'overview', (call) => list(call));
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
    function* found(): Generator<HistoryContainer, undefined> {
      for (const report of containers) yield containerView(report, owner, webUrl(), clock.now());
    }
    return longAnswer(
      listPieces(found(), listForm(call.format, historyContainers, 'container', historyContainer)),
      contentTypes[call.format],
      long,
    );
  });
  route('/apps/:appid/appattempts/:appattemptid/containers/:containerid', 'One container', 'view', (call) => {
    const { container, owner } = history.container(containerIdOf(call), call.user);
    return ok(historyContainer, containerView(container, owner, webUrl(), clock.now()));
  });
}

/** How the items of a list stand in its text: `name` is the member of the list, and the element of an item. */
const listForm = <Item>(format: Format, list: { readonly root: string }, name: string, item: RecordDescription<Item>): ListForm<Item> =>
  format === 'json'
    ? { open: `{"${name}":[`, separator: ',', close: ']}', write: (one) => writeJson(item, one) }
    : { open: `${xmlPrologue}<${list.root}>`, separator: '', close: `</${list.root}>`, write: (one) => writeXmlElement(name, item, one) };
