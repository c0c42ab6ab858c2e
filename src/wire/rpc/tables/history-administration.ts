// Administration of a history server. HSAdminRefreshProtocol.proto of Hadoop 3.4.2.
import { message, repeated, required } from '../message.ts';

export const RefreshAdminAclsRequestProto = message('hadoop.mapreduce.RefreshAdminAclsRequestProto', {});

export const RefreshAdminAclsResponseProto = message('hadoop.mapreduce.RefreshAdminAclsResponseProto', {});

export const RefreshLoadedJobCacheRequestProto = message('hadoop.mapreduce.RefreshLoadedJobCacheRequestProto', {});

export const RefreshLoadedJobCacheResponseProto = message('hadoop.mapreduce.RefreshLoadedJobCacheResponseProto', {});

export const RefreshJobRetentionSettingsRequestProto = message('hadoop.mapreduce.RefreshJobRetentionSettingsRequestProto', {});

export const RefreshJobRetentionSettingsResponseProto = message('hadoop.mapreduce.RefreshJobRetentionSettingsResponseProto', {});

export const RefreshLogRetentionSettingsRequestProto = message('hadoop.mapreduce.RefreshLogRetentionSettingsRequestProto', {});

export const RefreshLogRetentionSettingsResponseProto = message('hadoop.mapreduce.RefreshLogRetentionSettingsResponseProto', {});

// RefreshUserMappingsProtocol.proto and GetUserMappingsProtocol.proto: every administration port of Hadoop serves them.

export const RefreshUserToGroupsMappingsRequestProto = message('hadoop.common.RefreshUserToGroupsMappingsRequestProto', {});

export const RefreshUserToGroupsMappingsResponseProto = message('hadoop.common.RefreshUserToGroupsMappingsResponseProto', {});

export const RefreshSuperUserGroupsConfigurationRequestProto = message('hadoop.common.RefreshSuperUserGroupsConfigurationRequestProto', {});

export const RefreshSuperUserGroupsConfigurationResponseProto = message(
  'hadoop.common.RefreshSuperUserGroupsConfigurationResponseProto',
  {},
);

export const GetGroupsForUserRequestProto = message('hadoop.common.GetGroupsForUserRequestProto', { user: required(1, 'string') });

export const GetGroupsForUserResponseProto = message('hadoop.common.GetGroupsForUserResponseProto', { groups: repeated(1, 'string') });
