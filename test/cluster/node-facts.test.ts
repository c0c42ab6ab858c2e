// Racks, labels and attributes of nodes, from files and scripts to what the resource manager shows and does.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { promisify } from 'node:util';
import { startCluster } from '../support/cluster.ts';
import { until } from '../support/processes.ts';

const main = join(import.meta.dirname, '../../src/main.ts');
const folder = mkdtempSync(join(tmpdir(), 'heddle-facts-'));
after(() => rmSync(folder, { recursive: true, force: true }));

function script(name: string, body: string): string {
  const path = join(folder, name);
  writeFileSync(path, `#!/bin/sh\n${body}\n`, { mode: 0o755 });
  return path;
}

interface NodeAnswer {
  readonly id: string;
  readonly rack: string;
  readonly nodeLabels?: readonly string[];
  readonly nodeAttributesInfo: { readonly nodeAttributeInfo?: readonly { prefix: string; name: string; type: string; value: string }[] };
}

const namesOf = ({ nodeAttributesInfo }: NodeAnswer): string[] =>
  (nodeAttributesInfo.nodeAttributeInfo ?? []).map(({ prefix, name, value }) => `${prefix}/${name}=${value}`).sort();

describe('facts about nodes', () => {
  it('racks come from a script, attributes from settings and from administrators, labels from a script', async () => {
    const state = join(folder, 'label');
    writeFileSync(state, 'fast');
    await using cluster = await startCluster({
      settings: {
        'net.topology.script.file.name': script('rack.sh', '[ "$1" = 127.0.0.1 ] && echo /dc1/rack7'),
        'yarn.nodemanager.node-attributes.provider': 'config',
        'yarn.nodemanager.node-attributes.provider.configured-node-attributes': 'os,STRING,linux:java,STRING,11',
        'yarn.nodemanager.node-labels.provider': 'script',
        'yarn.nodemanager.node-labels.provider.script.path': script('label.sh', `echo "NODE_PARTITION:$(cat ${state})"`),
        'yarn.nodemanager.node-labels.provider.fetch-interval-ms': '50',
        'yarn.node-labels.enabled': 'true',
        'yarn.node-labels.configuration-type': 'distributed',
        'yarn.timeline-service.enabled': 'false',
      },
    });
    const { resourceManager } = cluster.urls;
    const nodeNow = async (): Promise<NodeAnswer> =>
      (await cluster.get<{ nodes: { node: NodeAnswer[] } }>(`${resourceManager}/ws/v1/cluster/nodes`)).nodes.node[0]!;
    const post = async (path: string, body: unknown): Promise<{ status: number; text: string }> => {
      const answer = await fetch(`${resourceManager}${path}?user.name=root`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(body),
      });
      return { status: answer.status, text: await answer.text() };
    };
    const node = await nodeNow();
    assert.equal(node.rack, '/dc1/rack7');
    assert.deepEqual(namesOf(node), ['nm.yarn.io/java=11', 'nm.yarn.io/os=linux']);

    // Labels that the cluster does not know are not taken; once it knows them, the node gets what its script says.
    assert.equal(node.nodeLabels, undefined);
    await post('/ws/v1/cluster/add-node-labels', { nodeLabelInfo: [{ name: 'slow', exclusivity: true }] });
    writeFileSync(state, 'slow');
    await until('the label of the script', async () => (await nodeNow()).nodeLabels?.join() === 'slow');

    const given = await post('/api/v1/node-attributes', {
      operation: 'add',
      nodes: [
        {
          host: '127.0.0.1',
          attributes: [
            { name: 'gpu-kind', value: 'h200' },
            { name: 'rm.yarn.io/zone', value: 'a' },
          ],
        },
      ],
    });
    assert.equal(given.status, 200, given.text);
    assert.deepEqual(namesOf(await nodeNow()), [
      'nm.yarn.io/java=11',
      'nm.yarn.io/os=linux',
      'rm.yarn.io/gpu-kind=h200',
      'rm.yarn.io/zone=a',
    ]);
    assert.deepEqual(await cluster.get(`${resourceManager}/api/v1/node-attributes?attribute=rm.yarn.io/zone`), {
      attributes: [{ prefix: 'rm.yarn.io', name: 'zone', type: 'STRING', nodes: [{ host: '127.0.0.1', value: 'a' }] }],
    });
    const removed = await post('/api/v1/node-attributes', {
      operation: 'remove',
      nodes: [{ host: '127.0.0.1', attributes: [{ name: 'zone' }, { name: 'absent' }] }],
    });
    assert.equal(removed.status, 400);
    assert.match(removed.text, /Name-absent\] doesn't exist on node 127\.0\.0\.1/);
    assert.equal(
      (await post('/api/v1/node-attributes', { operation: 'add', nodes: [{ host: 'h', attributes: [{ name: '-x' }] }] })).status,
      400,
    );
    assert.equal(namesOf(await nodeNow()).length, 4);

    const command = (...words: string[]) =>
      promisify(execFile)(process.execPath, [main, 'node', ...words], { env: { ...process.env, HEDDLE_CLUSTER: resourceManager } });
    await command('set-attributes', '127.0.0.1', 'rack-unit=12', '--replace');
    assert.match((await command('attributes')).stdout, /127\.0\.0\.1\s+rm\.yarn\.io\/rack-unit\s+12/);
    assert.deepEqual(namesOf(await nodeNow()).at(-1), 'rm.yarn.io/rack-unit=12');
  });
});
