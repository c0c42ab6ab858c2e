// Reservations. Of yarn_protos.proto of Hadoop 3.4.2.
import { defaulted, enumeration, message, optional, repeated } from '../message.ts';
import { PriorityProto, ReservationIdProto, ResourceProto } from './identifiers.ts';

export const ReservationRequestInterpreterProto = enumeration({ R_ANY: 0, R_ALL: 1, R_ORDER: 2, R_ORDER_NO_GAP: 3 });

export const ReservationRequestProto = message('hadoop.yarn.ReservationRequestProto', {
  capability: optional(1, ResourceProto),
  num_containers: defaulted(2, 'int32', 1),
  concurrency: defaulted(3, 'int32', 1),
  duration: defaulted(4, 'int64', -1),
});

export const ReservationRequestsProto = message('hadoop.yarn.ReservationRequestsProto', {
  reservation_resources: repeated(1, ReservationRequestProto),
  interpreter: defaulted(2, ReservationRequestInterpreterProto, 'R_ALL'),
});

export const ReservationDefinitionProto = message('hadoop.yarn.ReservationDefinitionProto', {
  reservation_requests: optional(1, ReservationRequestsProto),
  arrival: optional(2, 'int64'),
  deadline: optional(3, 'int64'),
  reservation_name: optional(4, 'string'),
  recurrence_expression: defaulted(5, 'string', '0'),
  priority: optional(6, PriorityProto),
});

export const ResourceAllocationRequestProto = message('hadoop.yarn.ResourceAllocationRequestProto', {
  start_time: optional(1, 'int64'),
  end_time: optional(2, 'int64'),
  resource: optional(3, ResourceProto),
});

export const ReservationAllocationStateProto = message('hadoop.yarn.ReservationAllocationStateProto', {
  reservation_definition: optional(1, ReservationDefinitionProto),
  allocation_requests: repeated(2, ResourceAllocationRequestProto),
  start_time: optional(3, 'int64'),
  end_time: optional(4, 'int64'),
  user: optional(5, 'string'),
  contains_gangs: optional(6, 'bool'),
  acceptance_time: optional(7, 'int64'),
  reservation_id: optional(8, ReservationIdProto),
});
