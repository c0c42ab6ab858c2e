// A request as a policy keeps it, made of what a master requests.

import type { Resource } from '../../model/resource.ts';
import type { ResourceRequest } from '../entries.ts';
import type { OpenRequest } from './model.ts';

/** What the policy adds to what was asked. */
export interface RequestDetails {
  readonly applicationId: string;
  /** Normalised. */
  readonly resource: Resource;
  /** Index of the partition it is for; the default one without. */
  readonly partition?: number;
  /** Its own label expression, or its application's; none without. */
  readonly labelExpression?: string;
  readonly isMaster: boolean;
  readonly nowMs: number;
}

/** Shared by the many requests that name no places and no tags. */
const none: readonly string[] = [];

/** The request, wholly open. */
export function openRequestOf(request: ResourceRequest, how: RequestDetails): OpenRequest {
  const tags = request.allocationTags ?? none;
  const constraint = request.placementConstraint;
  return {
    requestId: request.requestId,
    purpose: request.purpose,
    priority: request.priority,
    allocationRequestId: request.allocationRequestId ?? -1,
    resource: how.resource,
    count: request.count,
    nodes: request.nodes ?? none,
    racks: request.racks ?? none,
    placeCounts: request.placeCounts && new Map(request.placeCounts),
    relaxLocality: request.relaxLocality ?? true,
    reach: 'any',
    labelExpression: how.labelExpression ?? '',
    partition: how.partition ?? 0,
    isMaster: how.isMaster,
    reservations: [],
    tags,
    placement: constraint && { constraint, applicationId: how.applicationId, ownTags: tags },
    sinceMs: how.nowMs,
  };
}
