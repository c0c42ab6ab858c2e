// What `heddle doctor` says.
import { ConfigurationError } from '../config/table.ts';

/** One finding. A `note` is how it has to be with these settings, and what that means; a `problem` is to be ended. */
export interface Finding {
  readonly level: 'problem' | 'note';
  readonly what: string;
  readonly remedy: string;
}

/** What is to be ended. */
export const problem = (what: string, remedy: string): Finding => ({ level: 'problem', what, remedy });

/** A setting with which a server does not start. @throws what is something else */
export function refusal(error: unknown): Finding {
  if (!(error instanceof ConfigurationError)) throw error;
  return problem(error.message.slice(0, -error.remedy.length).trim(), error.remedy);
}
