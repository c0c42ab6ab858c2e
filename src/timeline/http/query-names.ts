// The query parameters that routes of the timeline server read, for the description of its interface; a test holds them true.
import { daemonQueryNames, type QueryNames } from '../../http/open-api.ts';

/** By path. */
export const queryNames: QueryNames = [
  [/\/timeline\/:entityType$/, ['primaryFilter', 'secondaryFilter', 'windowStart', 'windowEnd', 'fromId', 'fromTs', 'limit', 'fields']],
  [/\/timeline\/:entityType\/:entityId$/, ['fields']],
  [/\/timeline\/:entityType\/events$/, ['entityId', 'eventType', 'windowStart', 'windowEnd', 'limit']],
  [/\/timeline\/domain$/, ['owner']],
  [
    /\/applicationhistory(\/apps)?$/,
    [
      ...['states', 'state', 'finalStatus', 'user', 'queue', 'name', 'limit', 'applicationTypes'],
      ...['startedTimeBegin', 'startedTimeEnd', 'finishedTimeBegin', 'finishedTimeEnd'],
    ],
  ],
  [/logs/, ['nm.id', 'redirected_from_node', 'manual_redirection', 'format', 'size']],
  ...daemonQueryNames,
];
