import assert from 'node:assert/strict';
import { it } from 'node:test';
import { loadConfiguration } from './load.ts';
import { serverAddress, type WebServerName } from './web-addresses.ts';

const servers: readonly WebServerName[] = ['resource-manager', 'node-manager', 'timeline', 'reader', 'history', 'proxy'];
const urls = (set: Record<string, string>) => {
  const configuration = loadConfiguration({ dataDir: '/nowhere', set: { 'yarn.web-proxy.address': 'proxy:9099', ...set } });
  return servers.map((server) => serverAddress(configuration, server).url);
};

it("servers are at the addresses of their policy, on Hadoop's ports; the history server has a policy of its own", () => {
  const [plain, secure] = [
    ['8088', '8042', '8188', '8198'].map((port) => `http://127.0.0.1:${port}`),
    ['8090', '8044', '8190', '8196'].map((port) => `https://127.0.0.1:${port}`),
  ];
  assert.deepEqual(urls({}), [...plain, 'http://127.0.0.1:19888', 'http://proxy:9099']);
  assert.deepEqual(urls({ 'yarn.http.policy': 'HTTPS_ONLY' }), [...secure, 'http://127.0.0.1:19888', 'https://proxy:9099']);
  assert.deepEqual(urls({ 'mapreduce.jobhistory.http.policy': 'HTTPS_ONLY' }), [...plain, 'https://127.0.0.1:19890', 'http://proxy:9099']);
});

it('an address can be set for each, and one that is set empty is the default', () => {
  const key = 'yarn.resourcemanager.webapp.https.address';
  const of = (value: string) =>
    serverAddress(loadConfiguration({ dataDir: '/nowhere', set: { 'yarn.http.policy': 'HTTPS_ONLY', [key]: value } }), 'resource-manager');
  assert.deepEqual(of('rm.example.com:1'), { key, scheme: 'https', address: 'rm.example.com:1', url: 'https://rm.example.com:1' });
  assert.equal(of('').address, '127.0.0.1:8090');
});
