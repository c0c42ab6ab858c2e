// Settings of the web proxy.
import { defineSettings } from '../table.ts';

/** Settings of the web proxy. */
export const proxySettings = defineSettings({
  bindHost: { key: 'yarn.web-proxy.bind-host', type: 'string', about: 'Host to listen on when it is another than that of the address.' },
  principal: {
    key: 'yarn.web-proxy.principal',
    type: 'string',
    about: 'Kerberos principal of the proxy; _HOST stands for the host of its address.',
  },
  keytab: {
    key: 'yarn.web-proxy.keytab',
    type: 'path',
    about: 'File with its key. The proxy logs in with it and shows a ticket to servers that ask for one.',
  },
  trackingUrlGenerator: {
    key: 'yarn.tracking.url.generator',
    type: 'list',
    about: 'Classes that find addresses of unknown applications; not implemented.',
    inert: 'there are no Java classes to load',
  },
  allowedHosts: {
    key: 'heddle.proxy.allowed-hosts',
    type: 'list',
    about:
      "Hosts that an application's master may name as its address, or send its visitors to, although it does not run there; others are refused. Unmanaged masters may name the host that they call from.",
  },
  sandbox: {
    key: 'heddle.proxy.sandbox',
    type: 'boolean',
    about:
      "Whether browsers keep masters' pages in a sandbox, where their scripts cannot speak for who looks at them: pages and links work, requests of scripts to the master and WebSockets do not. Default: true where the resource manager is the proxy, false where yarn.web-proxy.address gives the pages a site of their own.",
  },
  secretFile: {
    key: 'heddle.proxy.secret-file',
    type: 'path',
    default: '${heddle.data}/secrets/web-proxy',
    about:
      "File with the secret by which the proxy signs its visitors' names for batch masters; made at the first start, the same for the resource manager and a proxy of its own.",
  },
});
