// How a command goes on as another user: one place for all who start something for a container's user.
import type { Identity } from './engine.ts';

/** The command line before that of what runs as another user, with all its groups and no capability that it could inherit. */
export const switchingTo = ({ userId, groupId }: Identity): string[] => [
  ...['setpriv', '--reuid', String(userId), '--regid', String(groupId), '--init-groups', '--inh-caps=-all'],
];
