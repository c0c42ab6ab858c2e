import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { loadConfiguration } from '../../config/load.ts';
import { webKeys } from './web-keys.ts';

const configuration = loadConfiguration({
  dataDir: '/nowhere',
  set: {
    'yarn.resourcemanager.webapp.address': 'manager.example:8088',
    'yarn.resourcemanager.webapp.spnego-principal': 'HTTP/_HOST@A',
    'yarn.nodemanager.webapp.address': 'node.example:8042',
    'yarn.nodemanager.webapp.spnego-keytab-file': '/etc/node.keytab',
    'mapreduce.jobhistory.webapp.address': 'history.example:19888',
    'yarn.timeline-service.webapp.address': 'timeline.example:8188',
    'yarn.timeline-service.http-authentication.kerberos.principal': 'HTTP/_HOST@T',
    'yarn.web-proxy.address': 'proxy.example:80',
  },
});

describe('the keys of a web interface', () => {
  it('are those of its own settings, each with what it is called, and its host is that of its address', () => {
    const manager = webKeys('resource-manager', configuration);
    assert.deepEqual(manager, {
      own: {
        principal: { key: 'yarn.resourcemanager.webapp.spnego-principal', value: 'HTTP/_HOST@A' },
        keytab: { key: 'yarn.resourcemanager.webapp.spnego-keytab-file', value: undefined },
      },
      host: 'manager.example',
    });
    const node = webKeys('node-manager', configuration);
    assert.deepEqual([node.own?.keytab.value, node.host], ['/etc/node.keytab', 'node.example']);
    assert.deepEqual(
      [webKeys('history', configuration).own?.keytab.key, webKeys('history', configuration).host],
      ['mapreduce.jobhistory.webapp.spnego-keytab-file', 'history.example'],
    );
  });

  it('are those of the timeline for it, and the proxy has none of its own', () => {
    const { own, host } = webKeys('timeline', configuration);
    assert.deepEqual([own?.principal.value, host], ['HTTP/_HOST@T', 'timeline.example']);
    assert.deepEqual(webKeys('proxy', configuration), { own: undefined, host: 'proxy.example' });
    assert.deepEqual(webKeys('proxy', loadConfiguration({ dataDir: '/nowhere', set: {} })), { own: undefined, host: '' });
  });
});
