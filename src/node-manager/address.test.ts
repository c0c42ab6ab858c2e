import assert from 'node:assert/strict';
import { test } from 'node:test';
import { NodeAddress } from './address.ts';

const shown = ({ nodeId, host, port, http, webPort }: NodeAddress) => ({ nodeId, host, port, http, webPort });

test('ports of the settings stay, a free port of the web interface is known once it listens', () => {
  const address = new NodeAddress('node.example:45454', 'web.example:0');
  address.listensOn(8042);
  assert.deepEqual(shown(address), {
    nodeId: 'node.example:45454',
    host: 'node.example',
    port: 45454,
    http: 'web.example:8042',
    webPort: 8042,
  });
});

test('a node without a port of its own is named by that of its web interface', () => {
  const address = new NodeAddress('node.example:0', 'web.example:0');
  address.listensOn(40001);
  assert.deepEqual([address.nodeId, address.port], ['node.example:40001', 40001]);
});

test('a node that serves Hadoop RPC is named by its port, whatever the settings say', () => {
  for (const configured of ['node.example:0', 'node.example:45454']) {
    const address = new NodeAddress(configured, 'web.example:0');
    address.listensOn(40001);
    address.servesAt(40002);
    assert.deepEqual([address.nodeId, address.port, address.webPort], ['node.example:40002', 40002, 40001]);
  }
});

test('an address of IPv6 keeps its colons', () => {
  const address = new NodeAddress('[::1]:45454', '[::1]:8042');
  assert.deepEqual([address.nodeId, address.host, address.port, address.http], ['[::1]:45454', '[::1]', 45454, '[::1]:8042']);
});
