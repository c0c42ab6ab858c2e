// A failure as an answer in the caller's format.
import type { Failure } from '../model/errors.ts';
import { record, text as textMember } from '../wire/codec/describe.ts';
import { writeJson } from '../wire/codec/json.ts';
import { writeXml } from '../wire/codec/xml.ts';
import { type Answer, empty, type Headers, htmlAnswer, text } from './answers.ts';
import { containerError } from './container-error.ts';
import type { Format } from './negotiate.ts';
import { containerErrorPage } from './pages.ts';
import type { Profile } from './profiles.ts';

const members = { exception: textMember(), message: textMember(), javaClassName: textMember() };
/** The error document of YARN's interfaces (RemoteExceptionData). */
export const remoteException = record('RemoteException', members, { json: 'natural' });
/** The error document of the timeline servers. */
export const bareException = record('RemoteException', members, { json: 'natural', wrapped: false });

/** What the renderer must know of the request. */
export interface ErrorContext {
  readonly profile: Profile;
  readonly format: Format;
  readonly method: string;
  readonly path: string;
  readonly accept: string | undefined;
}

const simpleName = (javaClass: string) => javaClass.slice(javaClass.lastIndexOf('.') + 1).replace(/^.*\$/, '');

/** The answer to a failed request. */
export const renderFailure = (failure: Failure, context: ErrorContext, headers?: Headers): Answer => ({
  ...render(failure, context, headers),
  failure,
});

function render(failure: Failure, context: ErrorContext, headers?: Headers): Answer {
  const { entry } = failure;
  const { profile, format } = context;
  const message = entry.message === '' ? undefined : `${entry.prefix ?? ''}${failure.message}`;
  switch (entry.form ?? 'record') {
    case 'text':
      return text(entry.status, message ?? '', undefined, headers);
    case 'empty':
      return empty(entry.status, headers);
    case 'filter':
      return text(
        entry.status,
        JSON.stringify({ RemoteException: { message, exception: simpleName(entry.javaClass), javaClassName: entry.javaClass } }, null, 2),
        'application/json',
        headers,
      );
    case 'page':
      return containerError(entry.status, failure.message, context, headers);
    case 'record': {
      if (isForPeople(context)) {
        const page = htmlAnswer(entry.status, containerErrorPage(entry.status, failure.message, context.path), headers);
        return { ...page, contentType: 'text/html;charset=utf-8' } as Answer;
      }
      const value = { exception: simpleName(entry.javaClass), message, javaClassName: entry.javaClass };
      const body =
        format === 'xml' ? writeXml(remoteException, value) : writeJson(profile.errorRoot ? remoteException : bareException, value);
      return text(entry.status, body, undefined, headers);
    }
  }
}

/** Whether a browser asked for a page: outside of the interfaces, with HTML wanted before all else. */
const isForPeople = ({ path, accept }: ErrorContext): boolean =>
  accept !== undefined && /^\s*text\/html\b/i.test(accept) && !path.startsWith('/ws/') && !path.startsWith('/api/');
