// Texts that are made to hold a server up, sent to a running cluster: each is refused, and others are served meanwhile.
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import type { ClusterProcesses } from '../support/processes.ts';
import { send, startCluster } from './harness.ts';

describe('a text that is made to hold a server up', () => {
  let cluster: ClusterProcesses;
  before(async () => {
    cluster = await startCluster({});
  });
  after(() => cluster[Symbol.asyncDispose]());

  /** Sends it as a submission, and another request while it is read. */
  async function submitted(type: string, body: string): Promise<number> {
    const { resourceManager } = cluster.urls;
    const file = join(cluster.home, 'body');
    writeFileSync(file, body);
    const [answer, other] = await Promise.all([
      send(`${resourceManager}/ws/v1/cluster/apps`, {
        method: 'POST',
        headers: { 'Content-Type': type },
        options: ['--data-binary', `@${file}`, '--max-time', '20'],
      }),
      send(`${resourceManager}/ws/v1/cluster/info`, { options: ['--max-time', '20'] }),
    ]);
    assert.equal(other.status, 200);
    return answer.status;
  }

  it('is refused as XML', async () => {
    const root = '<application-submission-context>';
    for (const text of ['<a', '</a', '<a ', '<!DOCTYPE a [', '<a b="<', '<!--', '&'])
      assert.equal(await submitted('application/xml', root + text.repeat(Math.floor(500_000 / text.length))), 400, text);
    assert.equal(await submitted('application/xml', `${root}${'<a>'.repeat(50_000)}`), 400);
    assert.equal(await submitted('application/xml', `${root}<__proto__><a/></__proto__></application-submission-context>`), 400);
  });

  it('is refused as JSON', async () => {
    for (const text of ['[', '{"a":', '[{"a":'])
      assert.equal(await submitted('application/json', text.repeat(Math.floor(5_000_000 / text.length))), 400, text);
  });

  it('is answered as a pattern of beans', async () => {
    const { resourceManager, nodeManager } = cluster.urls;
    for (const url of [resourceManager, nodeManager]) {
      const { status } = await send(`${url}/jmx?qry=Hadoop:service=ResourceManager,name=${'*'.repeat(5000)}!`, {
        options: ['--globoff', '--max-time', '20'],
      });
      assert.equal(status, 200, url);
    }
  });
});
