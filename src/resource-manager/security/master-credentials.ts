// The credentials that a master finds: those of the submission, and the token by which Hadoop RPC knows it (AMLauncher.setupTokens).
import type { MasterTokens } from '../../auth/application-tokens/application-tokens.ts';
import { credentialsFile, writtenToken } from '../../wire/files/credentials.ts';
import { readCredentials } from '../../wire/files/read-credentials.ts';

/** Alias of a master's token, as AMLauncher has it. */
const alias = '';

/** Adds the token of an attempt's master to credentials (base64). What cannot be read, which a submission may not say, counts as none. */
export function masterCredentials(masters: MasterTokens, attemptId: string, given: string | undefined): string {
  const { tokens = [], secrets = [] } = readCredentials(Buffer.from(given ?? '', 'base64')) ?? {};
  const others = tokens.filter(([name]) => name !== alias);
  return credentialsFile([...others, [alias, writtenToken(masters.issue(attemptId))]], secrets).toString('base64');
}
