// Reading applications: the list, one, its state, queue, priority, timeouts, statistics, attempts and containers.

import { type Answer, lasting, ok, rendered } from '../../http/answers.ts';
import type { Call } from '../../http/service.ts';
import { type PublicApplicationState, publicApplicationStates } from '../../model/application-states.ts';
import { failure } from '../../model/errors.ts';
import { applicationIdOfAttempt, attemptIdOfContainer } from '../../model/ids.ts';
import { app, appPriority, appQueue, appState, appStatistics, appTimeout, appTimeouts } from '../../wire/cluster/application.ts';
import { appAttempt, appAttempts, containerRecord, containers } from '../../wire/cluster/attempt.ts';
import { findApplication } from '../commands/find-application.ts';
import { attemptPathOf, containerIdOf, findAttempt } from '../views/application-lookup.ts';
import { attemptInList, attemptReport, containerInfo } from '../views/attempt-view.ts';
import { parseDeselects } from '../views/deselects.ts';
import type { Parts } from '../views/parts.ts';
import { parseStates, pieces, statesOf } from './application-filter.ts';
import { listApplications } from './application-list.ts';

const id = (call: Call): string => call.params['appid'] ?? '';

/** `GET /apps`. */
export function answerApplications(parts: Parts, call: Call): Promise<Answer> {
  return listApplications(parts, call, parts.listsOnlyVisible);
}

/** `GET /apps/{appid}`. */
export function answerApplication(parts: Parts, call: Call): Answer {
  const application = findApplication(parts.cluster, id(call));
  const deselected = parseDeselects(pieces(call.query, 'deSelects').filter((piece) => piece !== ''));
  const visible = parts.access.mayView(application, call.user);
  if (call.format === 'xml') return ok(app, parts.views.info(application, visible, call.scheme, deselected));
  return rendered(`{"app":${parts.fragments.of(application, visible, 'json', call.scheme, deselected)}}`);
}

/** `GET /appstatistics`: one item for each state, zeros included. */
export function answerStatistics(parts: Parts, call: Call): Answer {
  const split = (name: string) =>
    pieces(call.query, name)
      .map((piece) => piece.trim())
      .filter((piece) => piece !== '');
  const asked = parseStates(statesOf(call.query));
  const states = asked.size > 0 ? [...asked] : [...publicApplicationStates];
  const types = [...new Set(split('applicationTypes').map((type) => type.toLowerCase()))];
  if (types.length > 1) throw failure('TOO_MANY_TYPES', { count: types.length });
  // The type that stands for all is Hadoop's, too (RMWebServices.ANY).
  const type = types[0] === '*' ? undefined : types[0];
  const counts = new Map<string, number>(states.map((state) => [state, 0]));
  const add = (state: string, itsType: string, count: number) => {
    const sum = counts.get(state);
    if (sum !== undefined && (type === undefined || itsType.toLowerCase() === type)) counts.set(state, sum + count);
  };
  for (const { state, type: itsType, count } of parts.store.finishedStatistics()) add(state, itsType, count);
  for (const { state, type: itsType, count } of parts.cluster.view.applicationsBy.counts()) add(state, itsType, count);
  // What has ended and is still in memory counts as it is there.
  for (const { id } of parts.cluster.view.applicationsBy.ended()) {
    const row = parts.store.finished(id);
    if (row) add(row.state, row.type, -1);
  }
  return lasting(appStatistics, {
    statItem: [...counts].map(([state, count]) => ({ state: state as PublicApplicationState, type: type ?? '*', count })),
  });
}

/** `GET /apps/{appid}/state`: the state inside the resource manager. */
export const answerState = (parts: Parts, call: Call): Answer => ok(appState, { state: findApplication(parts.cluster, id(call)).state });
export const answerQueue = (parts: Parts, call: Call): Answer => ok(appQueue, { queue: findApplication(parts.cluster, id(call)).queue });
export const answerPriority = (parts: Parts, call: Call): Answer =>
  ok(appPriority, { priority: findApplication(parts.cluster, id(call)).priority });

/** `GET /apps/{appid}/timeouts`. */
export function answerTimeouts(parts: Parts, call: Call): Answer {
  return ok(appTimeouts, { timeout: [parts.views.timeout(findApplication(parts.cluster, id(call)), false)] });
}

/** `GET /apps/{appid}/timeouts/{type}`. */
export function answerTimeout(parts: Parts, call: Call): Answer {
  const application = findApplication(parts.cluster, id(call));
  const type = call.params['type'] ?? '';
  if (type.trim().toUpperCase() !== 'LIFETIME') throw failure('TIMEOUT_TYPE_UNKNOWN', { type });
  return ok(appTimeout, parts.views.timeout(application, false));
}

/** `GET /apps/{appid}/appattempts`. */
export function answerAttempts(parts: Parts, call: Call): Answer {
  const application = findApplication(parts.cluster, id(call));
  const visible = parts.access.mayView(application, call.user);
  return ok(appAttempts, {
    appAttempt: application.attempts.map((attempt) => attemptInList(parts.views, application, attempt, visible, call.scheme)),
  });
}

const named = (call: Call) => ({ application: id(call), attempt: call.params['appattemptid'] ?? '' });

/** `GET /apps/{appid}/appattempts/{appattemptid}`. */
export function answerAttempt(parts: Parts, call: Call): Answer {
  const { application, attempt } = findAttempt(parts, named(call), call.user, 'attempt');
  return ok(appAttempt, attemptReport(parts.views, application, attempt));
}

/** `GET …/containers`: the live ones. */
export function answerContainers(parts: Parts, call: Call): Answer {
  const { application, attempt } = findAttempt(parts, named(call), call.user, 'application');
  return ok(containers, {
    container: [...attempt.containers.values()].map((container) => containerInfo(parts.views, container, application.user)),
  });
}

/** `GET …/containers/{containerid}`. Every id is parsed, in order, before one is compared with another, and all are compared before anything is looked for (WebServices.getContainer). */
export function answerContainer(parts: Parts, call: Call): Answer {
  const { applicationId, attemptId } = attemptPathOf(named(call));
  const containerId = containerIdOf(call.params['containerid'] ?? '');
  if (applicationIdOfAttempt(attemptId) !== applicationId) throw failure('ATTEMPT_OF_ANOTHER');
  if (attemptIdOfContainer(containerId) !== attemptId) throw failure('CONTAINER_OF_ANOTHER');
  const { application, attempt } = findAttempt(parts, named(call), call.user, 'application');
  const container = attempt.containers.get(containerId);
  if (!container) throw failure('CONTAINER_NOT_FOUND', { id: containerId });
  return ok(containerRecord, containerInfo(parts.views, container, application.user));
}
