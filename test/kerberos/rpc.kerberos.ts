// Hadoop's own client of RPC at the ports of a cluster whose callers need tickets, with a real realm, under each protection; and tickets by hand, as
// no client of Hadoop's would use them.
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { RefusedCall, RpcTestClient, type TestTicket } from '../../src/rpc/test-support/rpc-client.ts';
import { applicationClientProtocol } from '../../src/wire/rpc/protocols/application-client.ts';
import { writeSettings } from '../support/processes.ts';
import {
  classPath,
  javaOpens,
  type RealmCluster,
  rpcAddresses,
  rpcKeytabs,
  rpcPrincipals,
  startRealmCluster,
  withTickets,
} from './cluster.ts';

let stand: RealmCluster;
let clientConfiguration: string;
const caches = new Map<string, string>();
before(async () => {
  const addresses = await rpcAddresses();
  stand = await startRealmCluster((realm) => ({
    ...addresses,
    ...rpcPrincipals(realm),
    ...rpcKeytabs(realm),
    'hadoop.rpc.protection': 'privacy,integrity,authentication',
    'hadoop.proxyuser.gateway.hosts': '*',
    'hadoop.proxyuser.gateway.users': 'ann',
    'hadoop.security.authorization': 'true',
    'security.applicationclient.protocol.acl': 'ann,gateway',
  }));
  for (const user of ['ann', 'bob', 'root', 'gateway']) caches.set(user, stand.realm.login(user));
  clientConfiguration = join(stand.realm.home, 'client-site.xml');
  writeSettings(clientConfiguration, {
    ...addresses,
    'hadoop.security.authentication': 'kerberos',
    ...rpcPrincipals(stand.realm),
    'yarn.resourcemanager.connect.max-wait.ms': '1000',
    'yarn.resourcemanager.connect.retry-interval.ms': '1000',
    'ipc.client.connect.max.retries.on.sasl': '0',
  });
});
after(() => stand?.[Symbol.asyncDispose]());

describe("Hadoop's client of RPC", {
  skip: classPath === undefined && 'it needs java and mvn (scripts/install-kerberos-clients.sh)',
}, () => {
  before(async () => {
    const classes = ['-cp', classPath ?? '', '-d', stand.realm.home];
    const { code, output } = await withTickets(
      undefined,
      'javac',
      '-encoding',
      'UTF-8',
      ...classes,
      join(import.meta.dirname, 'java/RpcCalls.java'),
    );
    assert.equal(code, 0, output);
  });

  /** What each step came to, as whoever has a ticket; undefined: nobody. Each protection has its turn. */
  async function calls(user: string | undefined, protection: string, ...steps: string[]): Promise<(string | undefined)[]> {
    const { output } = await withTickets(
      caches.get(user ?? '')?.replace('FILE:', ''),
      'java',
      ...javaOpens,
      '-XX:TieredStopAtLevel=1',
      `-Djava.security.krb5.conf=${stand.realm.configuration}`,
      '-cp',
      `${stand.realm.home}:${classPath}`,
      'RpcCalls',
      clientConfiguration,
      protection,
      ...steps,
    );
    const lines = output.split('\n');
    return steps.map((step) => lines.find((line) => line.startsWith(`${step} -> `))?.slice(step.length + 4) ?? output);
  }

  it('asks the resource manager, the history server and the timeline with a ticket, and gets a token for whoever has none', async () => {
    assert.deepEqual(await calls('ann', 'privacy', 'nodes', 'token', 'history', 'applications'), [
      'nodes 1',
      'nodes 1, renewed true',
      'no report',
      'applications 0',
    ]);
  });

  it('acts for others where its user may, and administers where it may', async () => {
    assert.deepEqual(await calls('gateway', 'integrity', 'as ann', 'as root'), [
      'nodes 1',
      `org.apache.hadoop.ipc.RemoteException: User: gateway@${stand.realm.name} is not allowed to impersonate root`,
    ]);
    assert.deepEqual(await calls('root', 'authentication', '-refreshQueues'), ['status 0']);
  });

  it('is refused without a ticket, and where the list of the service leaves its user out', async () => {
    assert.deepEqual(await calls(undefined, 'authentication', 'nodes'), [
      'org.apache.hadoop.security.AccessControlException: Client cannot authenticate via:[TOKEN, KERBEROS]',
    ]);
    const [nodes, refresh] = await calls('bob', 'authentication', 'nodes', '-refreshQueues');
    assert.match(
      nodes ?? '',
      /User bob@HEDDLE\.TEST \(auth:KERBEROS\) is not authorized for protocol interface .*ApplicationClientProtocolPB/,
    );
    assert.equal(refresh, 'status -1');
  });
});

describe('a ticket over RPC', () => {
  type Kerberos = typeof import('kerberos');
  let kerberos: Kerberos;
  before(async () => {
    kerberos = ((await import('kerberos')) as { default?: Kerberos }).default ?? (await import('kerberos'));
  });

  /** Made by the Kerberos library with ann's credentials. */
  async function ticket(service = 'rm@localhost', user?: string): Promise<TestTicket> {
    process.env['KRB5CCNAME'] = caches.get('ann');
    const client = await kerberos.initializeClient(service, {
      mechOID: kerberos.GSS_MECH_OID_KRB5,
      gssFlag: kerberos.GSS_C_MUTUAL_FLAG | kerberos.GSS_C_SEQUENCE_FLAG | kerberos.GSS_C_REPLAY_FLAG,
    });
    return {
      first: Buffer.from(await client.step(''), 'base64'),
      takeProof: async (token) => void (await client.step(token.toString('base64'))),
      choose: async (offer) => {
        await client.unwrap(offer.toString('base64'));
        assert.deepEqual([...Buffer.from(client.response, 'base64')], [7, 1, 0, 0], 'all three protections');
        const said = await client.wrap(
          user === undefined ? Buffer.of(1, 0, 0, 0).toString('base64') : client.response,
          user === undefined ? {} : { user },
        );
        return Buffer.from(said, 'base64');
      },
      layer: undefined,
    };
  }
  const connected = () => new RpcTestClient(stand.settings['yarn.resourcemanager.address']!.replace('localhost', '127.0.0.1'));
  const refused = (says: string) => (error: unknown) =>
    error instanceof RefusedCall &&
    error.header.exceptionClassName === 'javax.security.sasl.SaslException' &&
    error.header.errorMsg === says;

  it('counts once: whoever saw it go by does not get in', async () => {
    const once = await ticket();
    using client = connected();
    await client.loginByTicket(once);
    client.context({ effectiveUser: 'ann@HEDDLE.TEST' }, applicationClientProtocol.name);
    assert.equal((await client.call(applicationClientProtocol, 'getClusterMetrics', {})).cluster_metrics?.num_node_managers, 1);
    using again = connected();
    await assert.rejects(again.loginByTicket(once), refused('GSS initiate failed'));
  });

  it('for another service whose key the server has is refused, and so is one that was changed, or is none', async () => {
    using other = connected();
    await assert.rejects(other.loginByTicket(await ticket('other@localhost')), refused('GSS initiate failed'));
    const good = await ticket();
    const changed = Buffer.from(good.first);
    changed[changed.length - 20]! ^= 1;
    for (const first of [changed, Buffer.alloc(0), Buffer.alloc(5000, 0x60), Buffer.from('TlRMTVNTUAABAAAA', 'base64')]) {
      using client = connected();
      await assert.rejects(client.loginByTicket({ ...good, first }), refused('GSS initiate failed'));
    }
    using client = connected();
    await client.loginByTicket(await ticket());
  });

  it('stands for no one else than whom it names', async () => {
    using client = connected();
    await assert.rejects(
      client.loginByTicket(await ticket('rm@localhost', 'root@HEDDLE.TEST')),
      refused('ann@HEDDLE.TEST is not authorized to connect as root@HEDDLE.TEST'),
    );
  });
});
