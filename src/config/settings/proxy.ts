// Settings of the web proxy.
import { defineSettings } from '../table.ts';

/** Settings of the web proxy. */
export const proxySettings = defineSettings({
  bindHost: { key: 'yarn.web-proxy.bind-host', type: 'string', about: 'Host to listen on when it is another than that of the address.' },
  principal: {
    key: 'yarn.web-proxy.principal',
    type: 'string',
    about: 'Kerberos principal of the proxy.',
    inert: 'servers of a cluster prove themselves to each other by its secret',
  },
  keytab: {
    key: 'yarn.web-proxy.keytab',
    type: 'path',
    about: 'Its key.',
    inert: 'servers of a cluster prove themselves to each other by its secret',
  },
  trackingUrlGenerator: {
    key: 'yarn.tracking.url.generator',
    type: 'list',
    about: 'Classes that find addresses of unknown applications; not implemented.',
    inert: 'there are no Java classes to load',
  },
});
