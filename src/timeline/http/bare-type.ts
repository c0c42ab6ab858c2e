// Some resources name their content type without a charset, for answers and errors alike.
import type { Answer } from '../../http/answers.ts';
import type { Profile } from '../../http/profiles.ts';
import { renderFailure } from '../../http/render-error.ts';
import type { Call } from '../../http/service.ts';
import { Failure } from '../../model/errors.ts';
import { writeJson } from '../../wire/codec/json.ts';
import { writeXml } from '../../wire/codec/xml.ts';

/** Does the work and labels what comes out as `application/json` or `application/xml`; answers that carry a type of their own keep it. */
export async function bareType(profile: Profile, call: Call, work: () => Answer | Promise<Answer>): Promise<Answer> {
  const contentType = `application/${call.format}`;
  try {
    const answer = await work();
    if (answer.kind === 'record') {
      const { status, headers } = answer;
      const body = call.format === 'xml' ? writeXml(answer.record, answer.value as never) : writeJson(answer.record, answer.value as never);
      return { kind: 'rendered', status, body, contentType, headers };
    }
    return answer.kind === 'rendered' && answer.contentType === undefined ? { ...answer, contentType } : answer;
  } catch (problem) {
    if (!(problem instanceof Failure)) throw problem;
    const { format, method, path } = call;
    const answer = renderFailure(problem, { profile, format, method, path, accept: call.headers.accept });
    return answer.kind === 'rendered' && answer.contentType === undefined ? { ...answer, contentType } : answer;
  }
}
