// Answers and errors under a format and content type of the resource's own: some name their type without a charset.
import type { Answer } from '../../http/answers.ts';
import { type Format, negotiate } from '../../http/negotiate.ts';
import type { Profile } from '../../http/profiles.ts';
import { renderFailure } from '../../http/render-error.ts';
import { contentTypes } from '../../http/send.ts';
import type { Call } from '../../http/service.ts';
import { Failure, failure } from '../../model/errors.ts';
import { writeJson } from '../../wire/codec/json.ts';
import { writeXml } from '../../wire/codec/xml.ts';

/** Does the work and writes what comes out in `format`, labelled `contentType`; answers that carry a type of their own keep it. */
export async function labelled(
  profile: Profile,
  call: Call,
  label: { readonly format: Format; readonly contentType: string },
  work: () => Answer | Promise<Answer>,
): Promise<Answer> {
  const { format, contentType } = label;
  const withType = (answer: Answer): Answer =>
    (answer.kind === 'rendered' || answer.kind === 'pieces') && answer.contentType === undefined ? { ...answer, contentType } : answer;
  try {
    const answer = await work();
    if (answer.kind !== 'record') return withType(answer);
    const { status, headers } = answer;
    const body = format === 'xml' ? writeXml(answer.record, answer.value as never) : writeJson(answer.record, answer.value as never);
    return { kind: 'rendered', status, body, contentType, headers };
  } catch (problem) {
    if (!(problem instanceof Failure)) throw problem;
    const { method, path } = call;
    const headers = problem.code === 'OVERLOADED' ? { 'retry-after': String(problem.parameters['seconds'] ?? 1) } : undefined;
    return withType(renderFailure(problem, { profile, format, method, path, accept: call.headers.accept }, headers));
  }
}

/** Labelled `application/json` or `application/xml`, without a charset, by what the caller asks for. */
export const bareType = (profile: Profile, call: Call, work: () => Answer | Promise<Answer>): Promise<Answer> =>
  labelled(profile, call, { format: call.format, contentType: `application/${call.format}` }, work);

/** The content type of a format on the timeline's servers; XML as JAXB's servers label it. */
export const typeOf = (format: Format): string => (format === 'json' ? 'application/json;charset=utf-8' : contentTypes.xml);

/** How a handler is labelled. `isBare`: its types name no character set; `jsonAlone`: it has no XML. */
export interface EitherFormat {
  readonly isBare?: boolean;
  readonly jsonAlone?: boolean;
}

/**
 * A handler that answers JSON to whoever takes it, with whatever quality, as Hadoop's do, and XML to who asks for that alone (Hadoop's
 * promise it, too, and fail there). What else is asked for is refused in JSON.
 */
export const eitherFormat =
  (profile: Profile, handle: (call: Call) => Answer | Promise<Answer>, { isBare = false, jsonAlone = false }: EitherFormat = {}) =>
  (call: Call): Promise<Answer> => {
    const { accept } = call.headers;
    const format = negotiate(accept, ['json']) ?? (jsonAlone ? undefined : negotiate(accept, ['xml']));
    const contentType = isBare ? `application/${format ?? 'json'}` : typeOf(format ?? 'json');
    return labelled(profile, call, { format: format ?? 'json', contentType }, () => {
      if (!format) throw failure('NOT_ACCEPTABLE', { available: jsonAlone ? 'application/json' : 'application/json, application/xml' });
      return handle(call);
    });
  };
