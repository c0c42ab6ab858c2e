// What `mapred hsadmin` speaks (HSAdminServer of Hadoop 3.4.2): settings are read again.
import type { AuditLog } from '../../auth/audit-log.ts';
import type { NameOf } from '../../auth/authenticator.ts';
import { failure } from '../../model/errors.ts';
import { type RpcCaller, shortUserOf } from '../../rpc/authentication.ts';
import { type RpcProtocol, serveProtocol } from '../../rpc/protocol.ts';
import {
  getUserMappingsProtocol,
  historyAdministrationProtocol,
  refreshUserMappingsProtocol,
} from '../../wire/rpc/protocols/history-administration.ts';
import type { Administration } from '../administration.ts';
import { failuresAsExceptions } from './client-protocol.ts';

/** The three protocols of the port; `nameOf`: the user of a principal, by which a client may name itself. */
export function administrationProtocols(administration: Administration, nameOf: NameOf, audit: AuditLog): RpcProtocol[] {
  /** Carries a change out for an administrator. */
  const change =
    (operation: string, carryOut: () => void | Promise<void>) =>
    async ({ caller }: { readonly caller: RpcCaller }): Promise<Record<string, never>> => {
      const user = shortUserOf(caller) ?? '';
      if (user.trim() === '' || !administration.mayAdminister(user)) throw failure('HISTORY_ADMINISTRATION_REFUSED', { user, operation });
      await carryOut();
      audit.changed({ ...caller, user }, { operation, target: 'HSAdminServer' });
      return {};
    };
  const translate = failuresAsExceptions('HSAdminProtocol', audit);
  return [
    serveProtocol(
      historyAdministrationProtocol,
      {
        refreshAdminAcls: change('refreshAdminAcls', () => administration.refreshAdministrators()),
        refreshLoadedJobCache: change('refreshLoadedJobCache', () => administration.refreshLoadedJobs()),
        refreshJobRetentionSettings: change('refreshJobRetentionSettings', () => administration.refreshJobRetention()),
        refreshLogRetentionSettings: change('refreshLogRetentionSettings', () => administration.refreshLogRetention()),
      },
      translate,
    ),
    serveProtocol(
      refreshUserMappingsProtocol,
      {
        refreshUserToGroupsMappings: change('refreshUserToGroupsMappings', () => administration.refreshGroups()),
        refreshSuperUserGroupsConfiguration: change('refreshSuperUserGroupsConfiguration', () => administration.refreshProxyUsers()),
      },
      translate,
    ),
    serveProtocol(
      getUserMappingsProtocol,
      { getGroupsForUser: ({ request: { user } }) => ({ groups: [...administration.groupsOf(nameOf(user) ?? user)] }) },
      translate,
    ),
  ];
}
