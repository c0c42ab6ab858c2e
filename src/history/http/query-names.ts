// The query parameters that routes of the history server read, for the description of its interface; a test holds them true.
import { daemonQueryNames, type QueryNames } from '../../http/open-api.ts';

/** By path. */
export const queryNames: QueryNames = [
  [
    /\/mapreduce\/jobs$|^\/jobhistory(\/app)?$/,
    ['user', 'queue', 'state', 'limit', 'startedTimeBegin', 'startedTimeEnd', 'finishedTimeBegin', 'finishedTimeEnd'],
  ],
  [/^\/jobhistory\/logs\//, ['start', 'end']],
  [/\/tasks$/, ['type']],
  [/log/, ['user', 'appid', 'appattemptid', 'containerid', 'filename', 'nm.id', 'file_size', 'modification_time', 'size', 'format']],
  ...daemonQueryNames,
];
