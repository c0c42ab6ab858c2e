// What masters of applications speak (applicationmaster_protocol.proto).
import {
  AllocateRequestProto,
  AllocateResponseProto,
  FinishApplicationMasterRequestProto,
  FinishApplicationMasterResponseProto,
  RegisterApplicationMasterRequestProto,
  RegisterApplicationMasterResponseProto,
} from '../tables/master-service.ts';
import type { ProtocolDescription } from './description.ts';

/** What masters of applications speak with the resource manager (port 8030). */
export const applicationMasterProtocol = {
  name: 'org.apache.hadoop.yarn.api.ApplicationMasterProtocolPB',
  version: 1,
  methods: {
    registerApplicationMaster: [RegisterApplicationMasterRequestProto, RegisterApplicationMasterResponseProto],
    allocate: [AllocateRequestProto, AllocateResponseProto],
    finishApplicationMaster: [FinishApplicationMasterRequestProto, FinishApplicationMasterResponseProto],
  },
} as const satisfies ProtocolDescription;
