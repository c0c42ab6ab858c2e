// What administrators ask of the resource manager. Of yarn_server_resourcemanager_service_protos.proto of Hadoop 3.4.2; what concerns
// federations is not described.
import { defaulted, enumeration, message, optional, repeated, required } from '../message.ts';
import { NodeIdProto, ResourceProto } from './identifiers.ts';
import { NodeIdToLabelsProto, NodeLabelProto, NodeToAttributesProto } from './nodes.ts';

/** Which sub-cluster of a federation is meant; no cluster here has any. */
const subCluster = (number: number) => ({ sub_cluster_id: optional(number, 'string') });

export const RefreshQueuesRequestProto = message('hadoop.yarn.RefreshQueuesRequestProto', subCluster(1));
export const RefreshQueuesResponseProto = message('hadoop.yarn.RefreshQueuesResponseProto', {});

export const DecommissionTypeProto = enumeration({ NORMAL: 1, GRACEFUL: 2, FORCEFUL: 3 });
export const RefreshNodesRequestProto = message('hadoop.yarn.RefreshNodesRequestProto', {
  decommissionType: defaulted(1, DecommissionTypeProto, 'NORMAL'),
  decommissionTimeout: optional(2, 'int32'),
  ...subCluster(3),
});
export const RefreshNodesResponseProto = message('hadoop.yarn.RefreshNodesResponseProto', {});

export const RefreshSuperUserGroupsConfigurationRequestProto = message(
  'hadoop.yarn.RefreshSuperUserGroupsConfigurationRequestProto',
  subCluster(1),
);
export const RefreshSuperUserGroupsConfigurationResponseProto = message('hadoop.yarn.RefreshSuperUserGroupsConfigurationResponseProto', {});

export const RefreshUserToGroupsMappingsRequestProto = message('hadoop.yarn.RefreshUserToGroupsMappingsRequestProto', subCluster(1));
export const RefreshUserToGroupsMappingsResponseProto = message('hadoop.yarn.RefreshUserToGroupsMappingsResponseProto', {});

export const RefreshAdminAclsRequestProto = message('hadoop.yarn.RefreshAdminAclsRequestProto', subCluster(1));
export const RefreshAdminAclsResponseProto = message('hadoop.yarn.RefreshAdminAclsResponseProto', {});

export const RefreshServiceAclsRequestProto = message('hadoop.yarn.RefreshServiceAclsRequestProto', subCluster(1));
export const RefreshServiceAclsResponseProto = message('hadoop.yarn.RefreshServiceAclsResponseProto', {});

export const GetGroupsForUserRequestProto = message('hadoop.yarn.GetGroupsForUserRequestProto', { user: required(1, 'string') });
export const GetGroupsForUserResponseProto = message('hadoop.yarn.GetGroupsForUserResponseProto', { groups: repeated(1, 'string') });

export const ResourceOptionProto = message('hadoop.yarn.ResourceOptionProto', {
  resource: optional(1, ResourceProto),
  over_commit_timeout: optional(2, 'int32'),
});
export const NodeResourceMapProto = message('hadoop.yarn.NodeResourceMapProto', {
  node_id: optional(1, NodeIdProto),
  resource_option: optional(2, ResourceOptionProto),
});
export const UpdateNodeResourceRequestProto = message('hadoop.yarn.UpdateNodeResourceRequestProto', {
  node_resource_map: repeated(1, NodeResourceMapProto),
  ...subCluster(2),
});
export const UpdateNodeResourceResponseProto = message('hadoop.yarn.UpdateNodeResourceResponseProto', {});

export const RefreshNodesResourcesRequestProto = message('hadoop.yarn.RefreshNodesResourcesRequestProto', subCluster(1));
export const RefreshNodesResourcesResponseProto = message('hadoop.yarn.RefreshNodesResourcesResponseProto', {});

export const AddToClusterNodeLabelsRequestProto = message('hadoop.yarn.AddToClusterNodeLabelsRequestProto', {
  deprecatedNodeLabels: repeated(1, 'string'),
  nodeLabels: repeated(2, NodeLabelProto),
  ...subCluster(3),
});
export const AddToClusterNodeLabelsResponseProto = message('hadoop.yarn.AddToClusterNodeLabelsResponseProto', {});

export const RemoveFromClusterNodeLabelsRequestProto = message('hadoop.yarn.RemoveFromClusterNodeLabelsRequestProto', {
  nodeLabels: repeated(1, 'string'),
  ...subCluster(2),
});
export const RemoveFromClusterNodeLabelsResponseProto = message('hadoop.yarn.RemoveFromClusterNodeLabelsResponseProto', {});

export const ReplaceLabelsOnNodeRequestProto = message('hadoop.yarn.ReplaceLabelsOnNodeRequestProto', {
  nodeToLabels: repeated(1, NodeIdToLabelsProto),
  failOnUnknownNodes: optional(2, 'bool'),
  ...subCluster(3),
});
export const ReplaceLabelsOnNodeResponseProto = message('hadoop.yarn.ReplaceLabelsOnNodeResponseProto', {});

export const CheckForDecommissioningNodesRequestProto = message('hadoop.yarn.CheckForDecommissioningNodesRequestProto', subCluster(1));
export const CheckForDecommissioningNodesResponseProto = message('hadoop.yarn.CheckForDecommissioningNodesResponseProto', {
  decommissioningNodes: repeated(1, NodeIdProto),
});

export const RefreshClusterMaxPriorityRequestProto = message('hadoop.yarn.RefreshClusterMaxPriorityRequestProto', subCluster(1));
export const RefreshClusterMaxPriorityResponseProto = message('hadoop.yarn.RefreshClusterMaxPriorityResponseProto', {});

export const AttributeMappingOperationTypeProto = enumeration({ REPLACE: 1, ADD: 2, REMOVE: 3 });
export const NodesToAttributesMappingRequestProto = message('hadoop.yarn.NodesToAttributesMappingRequestProto', {
  operation: defaulted(1, AttributeMappingOperationTypeProto, 'REPLACE'),
  nodeToAttributes: repeated(2, NodeToAttributesProto),
  failOnUnknownNodes: optional(3, 'bool'),
  ...subCluster(4),
});
export const NodesToAttributesMappingResponseProto = message('hadoop.yarn.NodesToAttributesMappingResponseProto', {});
