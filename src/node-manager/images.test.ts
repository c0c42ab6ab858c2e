import assert from 'node:assert/strict';
import { chmodSync, mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, suite, test } from 'node:test';
import { makeRootFileSystem, whyNoRuntime } from '../engines/oci/test-image.ts';
import { startNode } from './test-support/node-fixture.ts';

suite('containers in images on a node', { skip: whyNoRuntime() ?? false }, () => {
  const images = realpathSync(mkdtempSync(join(tmpdir(), 'images-')));
  makeRootFileSystem(join(images, 'base'));
  after(() => rmSync(images, { recursive: true, force: true }));
  const settings = {
    'yarn.nodemanager.runtime.linux.allowed-runtimes': 'default,docker',
    'heddle.node-manager.oci.images': images,
    'yarn.nodemanager.recovery.supervised': 'true',
  };
  const environment = { YARN_CONTAINER_RUNTIME_TYPE: 'docker', YARN_CONTAINER_RUNTIME_DOCKER_IMAGE: 'base' };

  test('the launch script runs in the image, is adopted after a restart, and its logs stay', async () => {
    await using node = await startNode(settings);
    const order = node.order(
      '(ls / ; echo {{CONTAINER_ID}} {{USER}} \\$\\$) > <LOG_DIR>/stdout; mkfifo gate; read -r code < gate; exit \\$code',
      { launch: { environment } },
    );
    node.start(order);
    const plain = node.order('ls / > <LOG_DIR>/stdout');
    node.start(plain);
    await node.resourceManager.running(order.containerId);
    await node.resourceManager.complete(plain.containerId);
    const logs = (id: string) => node.get(`/ws/v1/node/containers/${id}/logs/stdout`).then((answer) => answer.text());
    assert.match(await logs(plain.containerId), /\nhome\n/);
    await node.restart();
    const folder = join(node.dataDir, 'node-manager/local/usercache/ada/appcache', order.applicationId, order.containerId);
    while (!readdirSync(folder).includes('gate')) await new Promise((resolve) => setImmediate(resolve));
    writeFileSync(join(folder, 'gate'), '6\n');
    assert.equal((await node.resourceManager.complete(order.containerId)).exitCode, 6);
    const text = await logs(order.containerId);
    assert.match(text, new RegExp(`\n${order.containerId} ada \\d+\n`));
    assert.doesNotMatch(text, /\nhome\n/);
    assert.doesNotMatch(readFileSync('/proc/self/mounts', 'utf8'), new RegExp(`${node.dataDir}.*${order.containerId}`));
  });

  test('as another user, with local resources of all kinds', async () => {
    const room = realpathSync(mkdtempSync(join(tmpdir(), 'images-')));
    chmodSync(room, 0o711);
    const words = join(room, 'words');
    writeFileSync(words, 'words\n');
    const timestamp = Math.floor(statSync(words).mtimeMs);
    {
      await using node = await startNode({
        ...settings,
        'heddle.node-manager.switch-users': 'true',
        'yarn.nodemanager.local-dirs': join(room, 'local'),
        'yarn.nodemanager.log-dirs': join(room, 'logs'),
      });
      const resource = (visibility: 'PUBLIC' | 'PRIVATE' | 'APPLICATION') =>
        ({ resource: `file://${words}`, type: 'FILE', visibility, size: 6, timestamp }) as const;
      const localResources = { a: resource('PUBLIC'), b: resource('PRIVATE'), c: resource('APPLICATION') };
      const order = node.order('(cat a b c; id -u; cat container_tokens > tokens && echo mine) > <LOG_DIR>/stdout', {
        launch: { environment, localResources },
      });
      node.start(order);
      const { exitCode, diagnostics } = await node.resourceManager.complete(order.containerId);
      assert.equal(exitCode, 0, diagnostics);
      const logs = await (await node.get(`/ws/v1/node/containers/${order.containerId}/logs/stdout`)).text();
      assert.match(logs, /LogContents:\nwords\nwords\nwords\n65534\nmine\n/);
    }
    rmSync(room, { recursive: true, force: true });
  });

  test('a runtime that is not installed is told at the start', async () => {
    await assert.rejects(
      startNode({ ...settings, 'heddle.node-manager.oci.runtime': 'no-such-runtime' }),
      /the OCI runtime 'no-such-runtime' was not found/,
    );
  });

  test('a missing image and a runtime that is not allowed fail the container alone, with a reason', async () => {
    await using node = await startNode(settings);
    const absent = node.order('true', { launch: { environment: { ...environment, YARN_CONTAINER_RUNTIME_DOCKER_IMAGE: 'absent:1' } } });
    const foreign = node.order('true', { launch: { environment: { ...environment, YARN_CONTAINER_RUNTIME_TYPE: 'runc' } } });
    for (const order of [absent, foreign]) node.start(order);
    const first = await node.resourceManager.complete(absent.containerId);
    assert.match(first.diagnostics, /there is no image 'absent:1' on this node/);
    assert.equal(first.exitCode, -1);
    assert.match(
      (await node.resourceManager.complete(foreign.containerId)).diagnostics,
      /Requested runtime not allowed: runc\. This node allows default, docker\./,
    );
    const next = node.order('exit 0');
    node.start(next);
    assert.equal((await node.resourceManager.complete(next.containerId)).exitCode, 0);
  });
});
