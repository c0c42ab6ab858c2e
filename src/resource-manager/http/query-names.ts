// The query parameters that routes of the resource manager read, for the description of its interface; a test holds them true.
import { daemonQueryNames, type QueryNames } from '../../http/open-api.ts';

const applicationFilters = [
  ...['states', 'state', 'finalStatus', 'user', 'queue', 'name', 'limit', 'applicationTypes', 'applicationTags', 'deSelects'],
  ...['startedTimeBegin', 'startedTimeEnd', 'finishedTimeBegin', 'finishedTimeEnd'],
];

/** By path. */
export const queryNames: QueryNames = [
  [/\/cluster\/apps$/, applicationFilters],
  [/\/cluster\/apps\/:appid$/, ['deSelects']],
  [/^\/cluster(\/cluster)?$|^\/cluster\/apps/, ['states']],
  [/\/appstatistics$/, ['states', 'applicationTypes']],
  [/\/cluster\/nodes$/, ['states']],
  [/\/label-mappings$|\/replace-labels$|\/remove-node-labels$/, ['labels']],
  [/\/reservation\/list$/, ['queue', 'reservation-id', 'start-time', 'end-time', 'include-resource-allocations']],
  [/\/scheduler\/activities$/, ['nodeId', 'groupBy']],
  [/\/scheduler\/bulk-activities$/, ['activitiesCount', 'groupBy']],
  [/\/scheduler\/app-activities\//, ['requestPriorities', 'allocationRequestIds', 'groupBy', 'limit', 'actions', 'maxTime', 'summarize']],
  [/\/queues\/:queue\/access$/, ['user', 'queue-acl-type']],
  [/^\/api\/v1\/applications$/, [...applicationFilters, 'sort', 'cursor', 'fields']],
  [/^\/api\/v1\/applications\/:appid$/, ['fields', 'wait']],
  [/^\/api\/v1\/events$/, ['application', 'user', 'queue', 'kind', 'from', 'limit', 'wait']],
  [/^\/api\/v1\/tokens$/, ['all']],
  [/^\/api\/v1\/node-attributes/, ['attribute', 'host']],
  [/^\/api\/v1\/attempts\/:attemptId\/allocate$/, ['wait']],
  [/^\/proxy\//, ['proxyapproved']],
  ...daemonQueryNames,
];
