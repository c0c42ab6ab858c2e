// One node, one container, one queue: asked for, waited for, over.
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { ApiClient } from '../../src/client/api-client.ts';
import { RemoteFailure } from '../../src/client/remote-failure.ts';
import type { PlainContainer, PlainNode, PlainQueue } from '../../src/wire/cluster/own-answers.ts';
import { commandApplication, submitApplication } from '../support/applications.ts';
import { startCluster, type TestCluster } from '../support/cluster.ts';

const usual = 'yarn.scheduler.capacity';

describe('one node, container and queue that are waited for', () => {
  let cluster: TestCluster;
  let web: string;
  let client: ApiClient;
  before(async () => {
    cluster = await startCluster({
      settings: {
        'yarn.scheduler.configuration.store.class': 'memory',
        [`${usual}.root.queues`]: 'default,work',
        [`${usual}.root.default.capacity`]: '50',
        [`${usual}.root.work.capacity`]: '50',
        [`${usual}.root.work.maximum-am-resource-percent`]: '1',
      },
    });
    web = cluster.urls.resourceManager;
    client = new ApiClient({ url: web, user: 'root' });
  });
  after(() => cluster[Symbol.asyncDispose]());

  const ask = (path: string, etag?: string) =>
    fetch(
      `${web}/api/v1/${path}${path.includes('?') ? '&' : '?'}user.name=root`,
      etag === undefined ? {} : { headers: { 'if-none-match': etag } },
    );
  /** The first of what comes that will do. */
  async function first<Value>(values: AsyncGenerator<Value, void>, doesIt: (value: Value) => boolean): Promise<Value> {
    for await (const value of values) if (doesIt(value)) return value;
    throw new Error('it is over');
  }
  const submit = (command: string) => submitApplication(web, { ...commandApplication(command), queue: 'work' });
  const masterOf = async (id: string): Promise<string> => {
    const { masterContainerId } = await first(client.follow(id), ({ masterContainerId }) => masterContainerId !== undefined);
    return masterContainerId!;
  };

  it('are told when a container comes to them and goes', async () => {
    const { nodes } = await cluster.get<{ nodes: { node: { id: string }[] } }>(`${web}/ws/v1/cluster/nodes`);
    const nodeId = nodes.node[0]!.id;
    const tags = new Map<string, string>();
    for (const path of [`nodes/${nodeId}`, 'queues/root', 'queues/work', 'queues/default']) {
      const answer = await ask(path);
      assert.equal(answer.status, 200, path);
      await answer.text();
      tags.set(path, answer.headers.get('etag')!);
    }
    const waiting = [`nodes/${nodeId}`, 'queues/root', 'queues/work'].map(async (path) => {
      const answer = await ask(`${path}?wait=60000`, tags.get(path));
      assert.equal(answer.status, 200, path);
      return answer.json() as Promise<PlainNode | PlainQueue>;
    });
    const quiet = ask('queues/default?wait=300', tags.get('queues/default'));
    const id = await submit('sleep 600');
    const container = await masterOf(id);
    await Promise.all(waiting);
    assert.equal((await quiet).status, 304);

    const node = await first(client.followNode(nodeId), ({ containers }) => containers === 1);
    assert.deepEqual([node.id, node.state, node.connected, node.labels], [nodeId, 'RUNNING', true, []]);
    const queue = await first(
      client.followQueue('work'),
      ({ allocatedContainers, runningApplications }) => allocatedContainers + runningApplications === 2,
    );
    assert.deepEqual([queue.path, queue.state, queue.queues, queue.used.memoryMiB], ['root.work', 'RUNNING', [], node.usedMemoryMiB]);
    const root = (await (await ask('queues/root')).json()) as PlainQueue;
    assert.deepEqual([root.queues, root.runningApplications, root.allocatedContainers], [['root.default', 'root.work'], 1, 1]);

    const ended = ask(`containers/${container}?wait=60000&until=end`);
    await client.kill(id);
    const { state, finishedTime, applicationId, exitOutcome } = (await (await ended).json()) as PlainContainer;
    assert.deepEqual([state, finishedTime > 0, applicationId, exitOutcome], ['COMPLETE', true, id, 'STOPPED']);
    await first(client.followNode(nodeId), ({ containers }) => containers === 0);
    await first(
      client.followQueue('work'),
      ({ allocatedContainers, runningApplications }) => allocatedContainers + runningApplications === 0,
    );
  });

  it('are followed until a container is over', async () => {
    const container = await masterOf(await submit('true'));
    const seen: PlainContainer[] = [];
    for await (const each of client.followContainer(container)) seen.push(each);
    assert.equal(seen.at(-1)!.exitStatus, 0);
    assert.ok(seen.slice(0, -1).every(({ finishedTime }) => finishedTime === 0));
    assert.equal((await ask(`containers/${container}`)).status, 200);
  });

  it('are over when a queue is stopped and a node has left, also where nobody tells of that', async () => {
    const queue = ask('queues/work?wait=60000&until=end');
    const changed = await fetch(`${web}/ws/v1/cluster/scheduler-conf?user.name=root`, {
      method: 'PUT',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ 'update-queue': { 'queue-name': 'root.work', params: { entry: { key: 'state', value: 'STOPPED' } } } }),
    });
    assert.equal(changed.status, 200, await changed.text());
    assert.equal(((await (await queue).json()) as PlainQueue).state, 'STOPPED');
    const { nodes } = await cluster.get<{ nodes: { node: { id: string }[] } }>(`${web}/ws/v1/cluster/nodes`);
    const nodeId = nodes.node[0]!.id;
    const left = ask(`nodes/${nodeId}?wait=60000&until=end`);
    await (
      await fetch(`${web}/api/v1/nodes/${nodeId}/drain?user.name=root`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: '{}',
      })
    ).text();
    assert.equal(((await (await left).json()) as PlainNode).state, 'DECOMMISSIONED');
  });

  it('are refused where there is no such thing, or too long a wait', async () => {
    for (const [path, status] of [
      ['nodes/nowhere:1', 404],
      ['nodes/nowhere', 400],
      ['queues/nothing', 404],
      ['queues/root.nothing', 404],
      ['containers/container_1_0001_01_000001', 404],
      ['containers/nothing', 400],
      ['queues/default?wait=60001', 400],
      ['queues/default?wait=x', 400],
      ['queues/default?until=never', 400],
    ] as const)
      assert.equal((await ask(path)).status, status, path);
    await assert.rejects(
      first(client.followQueue('nothing'), () => true),
      (error) => error instanceof RemoteFailure && error.status === 404,
    );
  });
});
