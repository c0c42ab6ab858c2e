// The query parameters that routes of a node read, for the description of its interface; a test holds them true.
import { daemonQueryNames, type QueryNames } from '../../http/open-api.ts';

/** By path. */
export const queryNames: QueryNames = [
  [/\/node\/apps$/, ['state', 'user']],
  [/logs\/:filename$/, ['size', 'format', 'follow', 'nm.id', 'redirected_from_node']],
  [/\/containers\/:containerid\/logs$/, ['nm.id', 'redirected_from_node']],
  ...daemonQueryNames,
];
