// Who may call which protocol of Hadoop RPC (hadoop-policy.xml). Each family has four keys: `acl` and `acl.blocked` (users and groups), `hosts` and
// `hosts.blocked` (addresses and ranges).
import { defineSettings } from '../table.ts';

const keysOf =
  'acl and acl.blocked (users, a blank, groups), hosts and hosts.blocked (addresses, ranges); in force with hadoop.security.authorization=true.';

/** Service level authorization. */
export const serviceAccessSettings = defineSettings({
  defaults: {
    key: 'security.service.authorization.default.',
    type: 'family',
    about: `What holds where a protocol’s own key is absent: ${keysOf} Absent too: everyone, from everywhere.`,
  },
  clients: { key: 'security.applicationclient.protocol.', type: 'family', about: `Who may speak ApplicationClientProtocol: ${keysOf}` },
  masters: {
    key: 'security.applicationmaster.protocol.',
    type: 'family',
    about: `Who may speak ApplicationMasterProtocol, where masters are users named as their attempts: ${keysOf}`,
  },
  administrators: {
    key: 'security.resourcemanager-administration.protocol.',
    type: 'family',
    about: `Who may speak ResourceManagerAdministrationProtocol, besides being an administrator: ${keysOf}`,
  },
  containers: {
    key: 'security.containermanagement.protocol.',
    type: 'family',
    about: `Who may speak ContainerManagementProtocol, where masters are users named as their attempts: ${keysOf}`,
  },
  history: { key: 'security.mrhs.client.protocol.', type: 'family', about: `Who may speak HSClientProtocol: ${keysOf}` },
  historyAdministration: {
    key: 'security.mrhs.admin.refresh.protocol.',
    type: 'family',
    about: `Who may speak HSAdminRefreshProtocol: ${keysOf}`,
  },
  applicationHistory: {
    key: 'security.applicationhistory.protocol.',
    type: 'family',
    about: `Who may speak ApplicationHistoryProtocol: ${keysOf}`,
  },
  groups: { key: 'security.get.user.mappings.protocol.', type: 'family', about: `Who may ask the history server for groups: ${keysOf}` },
  refreshGroups: {
    key: 'security.refresh.user.mappings.protocol.',
    type: 'family',
    about: `Who may have the history server read groups and proxy users again: ${keysOf}`,
  },
});
