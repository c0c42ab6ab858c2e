// Tokens that the report of an application carries (RMAppImpl.createAndGetApplicationReport).
import type { ApplicationTokens } from '../../auth/application-tokens/open-tokens.ts';
import { type Application, currentAttempt } from '../applications/application.ts';
import { isMasterExpected } from '../commands/master-access.ts';
import type { ReportTokens } from './application-reports.ts';
import { tokenMessage } from './master-answers.ts';

/**
 * For whoever may view the application the token by which its master knows the caller, where callers need proof; for its owner, where the
 * master runs outside the cluster, the master's own. Both while the master is expected or there.
 */
export function reportTokens(
  { masters, clients }: Pick<ApplicationTokens, 'masters' | 'clients'>,
  application: Application,
  { user, isVisible }: { readonly user: string | undefined; readonly isVisible: boolean },
): ReportTokens {
  const attempt = currentAttempt(application);
  if (!isVisible || user === undefined || !attempt || !isMasterExpected(attempt)) return {};
  const isOwnMaster = application.submission.unmanaged && user === application.user;
  return {
    client_to_am_token: clients && tokenMessage(clients.issue(attempt.id, user)),
    am_rm_token: isOwnMaster ? tokenMessage(masters.issue(attempt.id)) : undefined,
  };
}
