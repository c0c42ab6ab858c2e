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
});
