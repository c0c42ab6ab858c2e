// With the filters on, what a foreign page makes a browser send changes nothing, on every server.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startCluster } from '../support/cluster.ts';

const prefixes = ['yarn.resourcemanager.webapp', 'yarn.nodemanager.webapp', 'yarn.timeline-service.webapp', 'mapreduce.jobhistory.webapp'];

test('browsers need a header to change something', async () => {
  await using cluster = await startCluster({
    settings: Object.fromEntries(prefixes.map((prefix) => [`${prefix}.rest-csrf.enabled`, 'true'])),
  });
  const { resourceManager, nodeManager, timeline, history } = cluster.urls;
  const send = async (url: string, headers: Record<string, string>) =>
    (await fetch(url, { method: 'POST', headers: { 'content-type': 'application/json', ...headers }, body: '{}' })).status;
  const browser = { 'user-agent': 'Mozilla/5.0' };
  for (const url of [
    `${resourceManager}/ws/v1/cluster/apps/new-application`,
    `${nodeManager}/ws/v1/node/info`,
    `${timeline}/ws/v1/timeline`,
    `${history}/ws/v1/history/info`,
  ]) {
    assert.equal(await send(url, browser), 400, url);
    const asked = await send(url, { ...browser, 'x-xsrf-header': '1' });
    assert.equal(asked, await send(url, {}), url);
    if (url.startsWith(resourceManager)) assert.equal(asked, 200, url);
    assert.equal((await fetch(url.replace(/apps.*/, 'info'), { headers: browser })).status, 200, url);
  }
});
