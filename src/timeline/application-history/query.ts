// The filters of the application list (org.apache.hadoop.yarn.server.webapp.WebServices.getApps), in the order Hadoop checks them.

import { isFinalApplicationState, publicApplicationStates } from '../../model/application-states.ts';
import { failure } from '../../model/errors.ts';
import { longParameter } from '../v1/query.ts';
import type { SeenApplication } from './history.ts';

/** What of a query string counts. */
export interface ParameterSource {
  first(name: string): string | undefined;
  all(name: string): string[];
}

/** A read query: what the store selects, and a test of what it finds. */
export interface ApplicationQuery {
  readonly limit?: number;
  readonly startedAfterMs: number;
  readonly startedUntilMs: number;
  readonly matches: (application: SeenApplication) => boolean;
}

const finalStatuses = ['UNDEFINED', 'SUCCEEDED', 'FAILED', 'KILLED', 'ENDED'];
const farFutureMs = Number.MAX_SAFE_INTEGER;

const badRequest = (reason: string) => failure('BAD_REQUEST', { reason });
const words = (texts: readonly string[]): string[] =>
  texts.flatMap((text) =>
    text
      .split(',')
      .map((word) => word.trim())
      .filter((word) => word !== ''),
  );

/** Reads the query of a list. @throws BAD_REQUEST, BAD_NUMBER; a bad final status is refused by `matches` */
export function readApplicationQuery(query: ParameterSource): ApplicationQuery {
  const present = (name: string): string | undefined => query.first(name) || undefined;
  const number = (name: string) => {
    const text = present(name);
    if (text !== undefined && text !== text.trim()) throw failure('BAD_NUMBER', { value: text });
    return longParameter(text, (value) => failure('BAD_NUMBER', { value }));
  };

  const wantedStates = new Set<string>();
  for (const word of words([...query.all('states'), ...(present('state') ? [present('state') as string] : [])])) {
    const state = word.toUpperCase();
    if (!(publicApplicationStates as readonly string[]).includes(state))
      throw badRequest(`Invalid application-state ${word} specified. It should be one of [${publicApplicationStates.join(', ')}]`);
    wantedStates.add(state);
  }
  for (const state of wantedStates) {
    if (!isFinalApplicationState(state))
      throw badRequest(`Invalid application-state ${state.toLowerCase()} specified. It should be a final state`);
  }
  const limit = number('limit');
  if (limit !== undefined && limit <= 0) throw badRequest('limit value must be greater then 0');
  const startedBegin = number('startedTimeBegin');
  if (startedBegin !== undefined && startedBegin < 0) throw badRequest('startedTimeBegin must be greater than 0');
  const startedEnd = number('startedTimeEnd');
  if (startedEnd !== undefined && startedEnd < 0) throw badRequest('startedTimeEnd must be greater than 0');
  if ((startedBegin ?? 0) > (startedEnd ?? farFutureMs)) throw badRequest('startedTimeEnd must be greater than startTimeBegin');
  const finishedBegin = number('finishedTimeBegin');
  if (finishedBegin !== undefined && finishedBegin < 0) throw badRequest('finishTimeBegin must be greater than 0');
  const finishedEnd = number('finishedTimeEnd');
  if (finishedEnd !== undefined && finishedEnd < 0) throw badRequest('finishTimeEnd must be greater than 0');
  if ((finishedBegin ?? 0) > (finishedEnd ?? farFutureMs)) throw badRequest('finishTimeEnd must be greater than finishTimeBegin');

  const types = new Set(words(query.all('applicationTypes')).map((type) => type.toLowerCase()));
  const [finalStatus, user, queue, name] = [present('finalStatus'), present('user'), present('queue'), query.first('name')];
  const checksFinish = finishedBegin !== undefined || finishedEnd !== undefined;

  return {
    ...(limit === undefined ? {} : { limit }),
    startedAfterMs: startedBegin ?? 0,
    startedUntilMs: startedEnd ?? farFutureMs,
    matches({ report }) {
      if (wantedStates.size > 0 && !wantedStates.has(report.state)) return false;
      if (finalStatus !== undefined) {
        if (!finalStatuses.includes(finalStatus)) {
          throw failure('ILLEGAL_ARGUMENT', {
            reason: `No enum constant org.apache.hadoop.yarn.api.records.FinalApplicationStatus.${finalStatus}`,
          });
        }
        if (report.finalStatus !== finalStatus) return false;
      }
      if (user !== undefined && report.user !== user) return false;
      if (queue !== undefined && report.queue !== queue) return false;
      if (types.size > 0 && !types.has((report.type ?? '').trim().toLowerCase())) return false;
      if (checksFinish && (report.finishedTimeMs < (finishedBegin ?? 0) || report.finishedTimeMs > (finishedEnd ?? farFutureMs)))
        return false;
      // An empty name is not ignored: it matches empty names only.
      return name === undefined || (report.name ?? '') === name;
    },
  };
}
