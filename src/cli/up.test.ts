import assert from 'node:assert/strict';
import { existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import type { Configuration } from '../config/load.ts';
import { nodeManagerSettings } from '../config/settings/node-manager.ts';
import { readClusterFile } from './cluster-file.ts';
import type { RoleHost, RoleName } from './host.ts';
import { usableMachine } from './node-size.ts';
import { runCommandLine } from './program.ts';

const folder = mkdtempSync(join(tmpdir(), 'heddle-up-'));
after(() => rmSync(folder, { recursive: true, force: true }));

/** Roles that only take note; `started` resolves with all their configurations when `count` have started. */
function fakeRoles(count: number, failing?: RoleName) {
  const closed: RoleName[] = [];
  const configurations = new Map<RoleName, Configuration>();
  const deaths = new Map<RoleName, (error: Error) => void>();
  const { promise: started, resolve } = Promise.withResolvers<void>();
  const host: RoleHost = {
    startRole: () => Promise.reject(new Error('not asked for')),
    stores: () => Promise.reject(new Error('not asked for')),
    async startRoleInThread(role, configuration, died) {
      if (role === failing) throw Object.assign(new Error('listen EADDRINUSE'), { code: 'EADDRINUSE', address: '127.0.0.1', port: 8088 });
      configurations.set(role, configuration);
      deaths.set(role, died);
      if (configurations.size === count) setImmediate(resolve);
      const rpc: Record<string, string> = role === 'resource-manager' ? { rpc: '127.0.0.1:8032' } : {};
      return { addresses: { web: `http://127.0.0.1/${role}`, ...rpc }, close: async () => void closed.push(role) };
    },
  };
  return { host, closed, configurations, deaths, started };
}

/** Runs with its output kept. */
async function quietly(work: () => Promise<number>): Promise<{ code: number; output: string }> {
  let output = '';
  const { stdout, stderr } = process;
  const [out, err] = [stdout.write, stderr.write];
  // The test runner's own reports are buffers; they pass.
  stdout.write = ((text: string | Uint8Array, ...rest: []) => {
    if (typeof text !== 'string') return out.call(stdout, text, ...rest);
    output += text;
    return true;
  }) as typeof stdout.write;
  stderr.write = ((text: string) => {
    output += text;
    return true;
  }) as typeof stderr.write;
  try {
    return { code: await work(), output };
  } finally {
    [stdout.write, stderr.write] = [out, err];
  }
}

describe('heddle up', () => {
  it("says how the settings of Hadoop's clients are written, with what it was given itself: folders come from there", async () => {
    const conf = join(folder, 'conf');
    mkdirSync(conf);
    const hintOf = async (data: string, ...more: string[]) => {
      const { host, deaths, started } = fakeRoles(4);
      const { output } = await quietly(async () => {
        const ended = runCommandLine(['up', '--ports', 'auto', '--data', join(folder, data), ...more], host);
        await started;
        deaths.get('timeline')?.(new Error('over'));
        return ended;
      });
      return /^"heddle config client.*$/m.exec(output)?.[0];
    };
    const written = "writes the settings for Spark and for Hadoop's own programs";
    assert.equal(await hintOf('hint'), `"heddle config client DIR --data ${folder}/hint" ${written}.`);
    assert.equal(
      await hintOf('hint-2', '--conf', conf, '--set', 'yarn.acl.enable=true'),
      `"heddle config client DIR --data ${folder}/hint-2 --conf ${conf}" ${written}, given the same --set.`,
    );
  });

  it('wires the roles to each other on free ports, leaves its addresses, and closes nodes first', async () => {
    const data = join(folder, 'one');
    const { host, closed, configurations, started } = fakeRoles(4);
    const { code, output } = await quietly(async () => {
      const ended = runCommandLine(['up', '--ports', 'auto', '--data', data], host);
      await started;
      assert.equal(readClusterFile(data)?.addresses['resource-manager']?.['web'], 'http://127.0.0.1/resource-manager');
      process.emit('SIGTERM');
      return ended;
    });
    assert.equal(code, 0);
    assert.match(output, /resource manager +http:\/\/127\.0\.0\.1\/resource-manager/);
    assert.match(output, /\n {2}pages +http:\/\/127\.0\.0\.1\/resource-manager\/ui\/\n/);
    assert.match(output, /Stop with Ctrl-C/);
    assert.deepEqual(closed, ['node-manager', 'resource-manager', 'history', 'timeline']);
    assert.equal(existsSync(join(data, 'cluster.json')), false);
    const address = (role: RoleName) => configurations.get(role)?.get('yarn.resourcemanager.webapp.address');
    assert.match(address('node-manager') ?? '', /^127\.0\.0\.1:[1-9]\d*$/);
    assert.notEqual(address('node-manager'), '127.0.0.1:8088');
    assert.equal(address('node-manager'), address('resource-manager'));
  });

  it('lets no node join before the others have their ports, and none where one of them cannot', async () => {
    for (const failing of [undefined, 'resource-manager'] as const) {
      const { host, deaths, started } = fakeRoles(4, failing);
      const { startRoleInThread } = host;
      const { promise: managerMayListen, resolve: letManagerListen } = Promise.withResolvers<void>();
      const { promise: joined, resolve: tellJoined } = Promise.withResolvers<void>();
      const order: string[] = [];
      const slow: RoleHost = {
        ...host,
        async startRoleInThread(role, configuration, died, mayJoin) {
          assert.equal(mayJoin !== undefined, role === 'node-manager');
          void mayJoin?.then(() => {
            order.push('joined');
            tellJoined();
          });
          if (role === 'resource-manager') await managerMayListen;
          const running = await startRoleInThread(role, configuration, died);
          order.push(role);
          return running;
        },
      };
      const { output } = await quietly(async () => {
        const ended = runCommandLine(['up', '--ports', 'auto', '--data', join(folder, `order-${failing}`)], slow);
        setImmediate(letManagerListen);
        if (failing === undefined) {
          await joined;
          await started;
          // A second signal to this process would end it.
          deaths.get('history')?.(new Error('enough'));
        }
        return ended;
      });
      assert.match(output, failing === undefined ? /enough/ : /port 8088/);
      if (failing === undefined) assert.ok(order.indexOf('joined') > order.indexOf('resource-manager'), order.join(' '));
      else assert.ok(!order.includes('joined'));
    }
  });

  it('gives several nodes ports and folders of their own, and divides among them what one would offer', async () => {
    const data = join(folder, 'several');
    const nodes: Configuration[] = [];
    const { host, closed, deaths, started } = fakeRoles(4);
    const { startRoleInThread } = host;
    const counting: RoleHost = {
      ...host,
      startRoleInThread(role, configuration, died) {
        if (role === 'node-manager') nodes.push(configuration);
        return startRoleInThread(role, configuration, died);
      },
    };
    const { code, output } = await quietly(async () => {
      const ended = runCommandLine(['up', '--nodes', '3', '--data', data], counting);
      await started;
      assert.deepEqual(
        Object.keys(readClusterFile(data)?.addresses ?? {}).filter((name) => name.startsWith('node-manager')),
        ['node-manager', 'node-manager-2', 'node-manager-3'],
      );
      // A second signal to this process would end it.
      deaths.get('history')?.(new Error('enough'));
      return ended;
    });
    assert.equal(code, 1);
    assert.match(output, /node manager 3 +http/);
    assert.equal(closed.filter((role) => role === 'node-manager').length, 3);
    const values = nodes.map((configuration) => configuration.values(nodeManagerSettings));
    assert.deepEqual(
      values.map(({ webAddress, address }) => [webAddress, address]),
      [
        ['127.0.0.1:8042', '127.0.0.1:45454'],
        ['127.0.0.1:8142', '127.0.0.1:45554'],
        ['127.0.0.1:8242', '127.0.0.1:45654'],
      ],
    );
    for (const { localDirectories, recoveryDirectory } of values)
      assert.ok([...localDirectories, recoveryDirectory].every((path) => path.startsWith(data)));
    assert.equal(new Set(values.flatMap((node) => [...node.localDirectories, ...node.logDirectories, node.recoveryDirectory])).size, 9);
    const { memoryMiB: wholeMiB } = usableMachine();
    const shareMiB = Math.max(1024, Math.floor((wholeMiB - Math.floor(wholeMiB * 0.2)) / 3));
    assert.deepEqual(new Set(values.map(({ memoryMiB }) => memoryMiB)), new Set([shareMiB]));
    assert.ok(values.every(({ vcores }) => vcores === Math.max(1, Math.floor(Math.max(32, usableMachine().processors) / 3))));
  });

  it('closes what started when one role cannot, and says why', async () => {
    const { host, closed } = fakeRoles(3, 'resource-manager');
    const { code, output } = await quietly(() => runCommandLine(['up', '--data', join(folder, 'two')], host));
    assert.equal(code, 1);
    assert.match(output, /port 8088 on 127\.0\.0\.1 is in use/);
    assert.deepEqual(closed, ['node-manager', 'history', 'timeline']);
  });

  it('ends when a role ends by itself', async () => {
    const { host, closed, deaths, started } = fakeRoles(2);
    const { code, output } = await quietly(async () => {
      const ended = runCommandLine(['up', '--data', join(folder, 'three'), '--set', 'heddle.roles=timeline,history'], host);
      await started;
      deaths.get('timeline')?.(new Error('out of memory'));
      return ended;
    });
    assert.equal(code, 1);
    assert.match(output, /a role ended by itself: out of memory/);
    assert.deepEqual(closed, ['history', 'timeline']);
  });

  it('refuses addresses that others reach, before anything starts', async () => {
    const { host, configurations } = fakeRoles(4);
    const { code, output } = await quietly(() =>
      runCommandLine(['up', '--data', join(folder, 'four'), '--set', 'yarn.nodemanager.webapp.address=0.0.0.0:8042'], host),
    );
    assert.equal(code, 1);
    assert.match(output, /yarn\.nodemanager\.webapp\.address: 0\.0\.0\.0 can be reached by others/);
    assert.equal(configurations.size, 0);
  });
});
