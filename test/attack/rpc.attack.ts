// The ports of Hadoop RPC, called by another user of the machine under every name and for every protocol.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import type { ClusterProcesses } from '../support/processes.ts';
import { makeUser, mallory, otherUsersNeeded, runAs, startCluster, type UnixUser } from './harness.ts';

/** A program that any user may run: calls a method of each protocol at each address under each name, and prints a line for each of them. */
const program = `
import { RpcTestClient } from ${JSON.stringify(join(import.meta.dirname, '../../src/rpc/test-support/rpc-client.ts'))};
const [folder, addresses, names] = process.argv.slice(1).map((text) => JSON.parse(text));
const files = ['application-client', 'application-master', 'administration', 'container-management', 'history-client', 'application-history'];
const protocols = (await Promise.all(files.map((file) => import(folder + file + '.ts'))))
  .flatMap((module) => Object.values(module)).filter((each) => typeof each?.name === 'string' && each.methods);
for (const address of addresses)
  for (const protocol of protocols)
    for (const [user, realUser] of names) {
      const client = RpcTestClient.named(address, user, protocol.name, realUser);
      const said = await client.call(protocol, Object.keys(protocol.methods)[0], {}).then(() => 'answered', (error) => error.message);
      console.log([address, protocol.name, user, said.replaceAll('\\n', ' ').slice(0, 200)].join('\\t'));
      client[Symbol.dispose]();
    }
process.exit(0);`;

describe('another user of the machine at the ports of Hadoop RPC', { skip: otherUsersNeeded }, () => {
  const made = new AsyncDisposableStack();
  let owner: UnixUser;
  let cluster: ClusterProcesses;
  before(async () => {
    owner = made.use(makeUser('owner'));
    cluster = made.use(await startCluster({ as: owner }));
  });
  after(() => made.disposeAsync());

  async function calls(as: UnixUser, names: readonly (readonly string[])[]): Promise<string[][]> {
    const { addresses } = JSON.parse(readFileSync(join(cluster.dataDir, 'cluster.json'), 'utf8')) as {
      addresses: Record<string, Record<string, string>>;
    };
    const ports = Object.values(addresses).flatMap((of) =>
      Object.entries(of).flatMap(([name, text]) => (name.startsWith('rpc') ? [text] : [])),
    );
    assert.ok(ports.length >= 5, String(ports));
    const folder = join(import.meta.dirname, '../../src/wire/rpc/protocols/');
    const words = [process.execPath, '--input-type=module', '-e', program, ...[folder, ports, names].map((value) => JSON.stringify(value))];
    const { code, stdout, stderr } = await runAs(as, words, '', 120_000);
    assert.equal(code, 0, stderr);
    const lines = stdout
      .trim()
      .split('\n')
      .map((line) => line.split('\t'));
    assert.equal(lines.length, ports.length * 6 * names.length);
    return lines;
  }

  it('is let in under no name, for no protocol, while the owner is', async () => {
    for (const line of await calls(mallory, [[owner.name], ['root'], [mallory.name], ['root', owner.name]]))
      assert.match(line[3] ?? '', /Other users of this machine are strangers here|SIMPLE authentication is not enabled/, line.join(' '));
    const own = await calls(owner, [[owner.name]]);
    assert.ok(
      own.some(([, , , said]) => said === 'answered'),
      'the owner is answered',
    );
  });
});
