// Settings of every web server: whom it answers, and how much it takes.
import { defineSettings } from '../table.ts';

/** Settings of the web servers, on top of Hadoop's own. */
export const httpSettings = defineSettings({
  allowedHosts: {
    key: 'heddle.http.allowed-hosts',
    type: 'list',
    about:
      'Further host names by which the servers may be addressed, such as that of a gateway which passes on what its visitors asked for; `*.example.org` for every name below, `*` for any name (then a page of any website can reach the servers through the browser of who has access).',
  },
  maximumConnections: {
    key: 'heddle.http.maximum-connections',
    type: 'integer',
    default: 16_384,
    minimum: 1,
    about: 'Connections that one server has at once; who comes after that gets 503. Fewer where the process may open fewer files.',
  },
  maximumConnectionsPerAddress: {
    key: 'heddle.http.maximum-connections-per-address',
    type: 'integer',
    default: 12_288,
    minimum: 1,
    about:
      'Connections that one server has at once from one address; who comes after that gets 429. A gateway is one address; of this machine, each unix user counts as one.',
  },
  maximumHeaderBytes: {
    key: 'hadoop.http.max.request.header.size',
    type: 'bytes',
    default: '64k',
    minimum: 4096,
    maximum: 1_048_576,
    about: 'Bytes that the first line and the headers of a request have together at most; what is longer gets 431.',
  },
  maximumBodyMemoryBytes: {
    key: 'heddle.http.maximum-body-memory',
    type: 'bytes',
    default: '512m',
    minimum: 1_048_576,
    about:
      'Memory in which one server holds the bodies of requests; what does not fit gets 503. Files that are passed through count for nothing.',
  },
  maximumBodyMemoryPerAddressBytes: {
    key: 'heddle.http.maximum-body-memory-per-address',
    type: 'bytes',
    default: '256m',
    minimum: 1_048_576,
    about: 'The same for the callers of one address, over loopback for each caller; what does not fit gets 429.',
  },
});
