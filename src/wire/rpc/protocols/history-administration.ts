// What `mapred hsadmin` speaks (HSAdminRefreshProtocol, RefreshUserMappingsProtocol, GetUserMappingsProtocol).
import {
  GetGroupsForUserRequestProto,
  GetGroupsForUserResponseProto,
  RefreshAdminAclsRequestProto,
  RefreshAdminAclsResponseProto,
  RefreshJobRetentionSettingsRequestProto,
  RefreshJobRetentionSettingsResponseProto,
  RefreshLoadedJobCacheRequestProto,
  RefreshLoadedJobCacheResponseProto,
  RefreshLogRetentionSettingsRequestProto,
  RefreshLogRetentionSettingsResponseProto,
  RefreshSuperUserGroupsConfigurationRequestProto,
  RefreshSuperUserGroupsConfigurationResponseProto,
  RefreshUserToGroupsMappingsRequestProto,
  RefreshUserToGroupsMappingsResponseProto,
} from '../tables/history-administration.ts';
import type { ProtocolDescription } from './description.ts';

/** Administration of a history server (port 10033). */
export const historyAdministrationProtocol = {
  name: 'org.apache.hadoop.mapreduce.v2.api.HSAdminRefreshProtocol',
  version: 1,
  methods: {
    refreshAdminAcls: [RefreshAdminAclsRequestProto, RefreshAdminAclsResponseProto],
    refreshLoadedJobCache: [RefreshLoadedJobCacheRequestProto, RefreshLoadedJobCacheResponseProto],
    refreshJobRetentionSettings: [RefreshJobRetentionSettingsRequestProto, RefreshJobRetentionSettingsResponseProto],
    refreshLogRetentionSettings: [RefreshLogRetentionSettingsRequestProto, RefreshLogRetentionSettingsResponseProto],
  },
} as const satisfies ProtocolDescription;

/** Groups and proxy users are read again. */
export const refreshUserMappingsProtocol = {
  name: 'org.apache.hadoop.security.RefreshUserMappingsProtocol',
  version: 1,
  methods: {
    refreshUserToGroupsMappings: [RefreshUserToGroupsMappingsRequestProto, RefreshUserToGroupsMappingsResponseProto],
    refreshSuperUserGroupsConfiguration: [
      RefreshSuperUserGroupsConfigurationRequestProto,
      RefreshSuperUserGroupsConfigurationResponseProto,
    ],
  },
} as const satisfies ProtocolDescription;

/** Groups are told. */
export const getUserMappingsProtocol = {
  name: 'org.apache.hadoop.tools.GetUserMappingsProtocol',
  version: 1,
  methods: {
    getGroupsForUser: [GetGroupsForUserRequestProto, GetGroupsForUserResponseProto],
  },
} as const satisfies ProtocolDescription;
