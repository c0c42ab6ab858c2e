// Settings that Hadoop does not have.
import { defineSettings } from '../table.ts';

/** Settings of Heddle's own. */
export const heddleSettings = defineSettings({
  logLevel: {
    key: 'heddle.log.level',
    type: 'string',
    default: 'info',
    oneOf: ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'],
    about: 'Least severity that is logged.',
    reloadable: false,
  },
  allowUnauthenticated: {
    key: 'heddle.security.allow-unauthenticated',
    type: 'boolean',
    default: false,
    about: 'Starts on addresses that others can reach although nobody has to prove who they are.',
  },
  roles: {
    key: 'heddle.roles',
    type: 'list',
    default: 'timeline,resource-manager,node-manager,history',
    about: 'Roles that `heddle up` starts; `proxy` is added where yarn.web-proxy.address is set.',
  },
});
