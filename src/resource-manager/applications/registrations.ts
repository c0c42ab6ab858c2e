// By what registrations of one attempt's master are told from each other, and the calls of one session from those of the next: a copy that
// comes late changes nothing (docs/protocol.md, Names).
import type { Attempt } from './attempt.ts';

/** Calls of one session at most: each session numbers its calls from a multiple of this, or from 0 where its registration had no name. */
const callsOfASession = 2 ** 32;
/** Names that are remembered of one attempt: a late copy is of one of the last. A master registers once for each start of the resource manager, or as often as it loses its way. */
const mostRemembered = 128;

/** What of an attempt is looked at. */
export type Registrations = Pick<Attempt, 'registrationIds' | 'sessions'>;

/** A master begins a session with a registration of that name. Answers the number of its first call, which no session before had; 0 without a name. */
export function beginSession(attempt: Registrations, registrationId: string | undefined): number {
  attempt.sessions++;
  if (registrationId === undefined) return 0;
  if (attempt.registrationIds.at(-1) !== registrationId)
    attempt.registrationIds = [...attempt.registrationIds, registrationId].slice(-mostRemembered);
  return attempt.sessions * callsOfASession;
}

/** The number of an answer of the last session among all that the attempt's masters were ever given. */
export const answerNumber = ({ sessions }: Pick<Attempt, 'sessions'>, responseId: number): number =>
  responseId < callsOfASession ? sessions * callsOfASession + responseId : responseId;

/**
 * Whether a master that names the number of its last answer has an answer, or had it before: of its last session. What it was told in one
 * before that, and says nothing of, it may have given up.
 */
export function hasAnswer(attempt: Pick<Attempt, 'sessions'>, lastResponseId: number, answer: number): boolean {
  return answer > attempt.sessions * callsOfASession && answer <= answerNumber(attempt, lastResponseId);
}

/** Whether another registration followed the one of that name; `session`: the present one, where there is one. */
export function isSuperseded(
  { registrationIds }: Registrations,
  registrationId: string,
  session: { readonly registrationId: string | undefined } | undefined,
): boolean {
  if (!registrationIds.includes(registrationId)) return false;
  return session ? session.registrationId !== registrationId : registrationIds.at(-1) !== registrationId;
}
