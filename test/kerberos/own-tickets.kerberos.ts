// Servers that share no secret and know each other by their tickets alone, with a real realm; and what a server says whose key is of no use.
import assert from 'node:assert/strict';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { Gss } from '../../src/auth/kerberos/gss.ts';
import { systemClock } from '../../src/lib/clock.ts';
import { silentLogger } from '../../src/lib/log.ts';
import { commandApplication } from '../support/applications.ts';
import { type ClusterProcesses, roleNames, startProcesses, until } from '../support/processes.ts';
import { type Realm, startRealm } from '../support/realm.ts';
import { ticketSettings } from './cluster.ts';

let realm: Realm;
let cluster: ClusterProcesses;
let settings: Record<string, string>;
let users: Gss;
before(async () => {
  realm = await startRealm();
  process.env['KRB5_CONFIG'] = realm.configuration;
  const principal = (service: string) => `${service}/_HOST@${realm.name}`;
  settings = {
    ...ticketSettings(realm.keytab('web.keytab', 'HTTP/localhost', 'HTTP/127.0.0.1'), realm.name),
    'hadoop.http.authentication.kerberos.principal': '*',
    'yarn.resourcemanager.principal': principal('rm'),
    'yarn.resourcemanager.keytab': realm.keytab('rm.keytab', 'rm/127.0.0.1'),
    'yarn.nodemanager.principal': `nm/localhost@${realm.name}`,
    'yarn.nodemanager.keytab': realm.keytab('nm.keytab', 'nm/localhost'),
    'yarn.timeline-service.principal': principal('ats'),
    'yarn.timeline-service.keytab': realm.keytab('ats.keytab', 'ats/127.0.0.1'),
    'mapreduce.jobhistory.principal': principal('jhs'),
    'mapreduce.jobhistory.keytab': realm.keytab('jhs.keytab', 'jhs/127.0.0.1'),
  };
  users = new Gss({ clock: systemClock, logger: silentLogger });
  cluster = await startProcesses({ mode: 'none', settings });
  for (const role of roleNames) {
    // As on a machine of its own: each makes a secret that no other has.
    rmSync(join(cluster.dataDir, 'secrets/services'), { force: true });
    await cluster.start(role);
  }
});
after(async () => {
  users?.close();
  await cluster?.[Symbol.asyncDispose]();
  await realm?.[Symbol.asyncDispose]();
});

/** Asks with a ticket of a principal, whose keytab is made where there is none. */
async function ask(
  user: string,
  url: string,
  body?: unknown,
  headers: Record<string, string> = {},
): Promise<{ status: number; text: string }> {
  const ticket = await users.show(`HTTP@${new URL(url).hostname}`, `${user}@${realm.name}`, keytabOf(user));
  const answer = await fetch(url, {
    headers: { authorization: `Negotiate ${ticket}`, 'content-type': 'application/json', ...headers },
    ...(body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) }),
  });
  return { status: answer.status, text: await answer.text() };
}
const keytabs = new Map<string, string>();
function keytabOf(user: string): string {
  let file = keytabs.get(user);
  if (!file) keytabs.set(user, (file = realm.keytab(`${user.replaceAll('/', '_')}.user.keytab`, user)));
  return file;
}

describe('servers that share no secret', () => {
  it('work together by their tickets: the timeline is told, and logs are passed on', async () => {
    const { resourceManager, timeline } = cluster.urls;
    const apps = `${resourceManager}/ws/v1/cluster/apps`;
    await until('a node', async () => (await ask('root', `${resourceManager}/ws/v1/cluster/nodes`)).text.includes('RUNNING'), 30_000, 200);
    const { 'application-id': id = '' } = JSON.parse((await ask('ann', `${apps}/new-application`, {})).text) as Record<string, string>;
    const submission = { 'application-id': id, ...commandApplication('echo heard 1><LOG_DIR>/stdout; sleep 600') };
    assert.equal((await ask('ann', apps, submission)).status, 202);
    const container = id.replace('application', 'container').concat('_01_000001');
    const log = `${resourceManager}/api/v1/logs/${container}/stdout`;
    const read = await until(
      'the log',
      async () => {
        const answer = await ask('ann', log);
        return answer.text.includes('heard') && answer;
      },
      60_000,
      200,
    );
    assert.equal(read.status, 200);
    assert.equal((await ask('eve', log)).status, 403, 'the node believes whom the resource manager says');
    const entity = `${timeline}/ws/v1/timeline/YARN_APPLICATION/${id}`;
    await until('the timeline to hear of it', async () => (await ask('ann', entity)).status === 200, 60_000, 200);
    assert.match(
      cluster.output('resource-manager'),
      /"principal":"rm\/127\.0\.0\.1@HEDDLE\.TEST".*this server has a Kerberos ticket of its own/,
    );
    for (const role of roleNames) assert.match(cluster.output(role), /this server has a Kerberos ticket of its own/, role);
  });

  it('do not take a principal of another host, or a user, for one of them', async () => {
    const { timeline, nodeManager } = cluster.urls;
    const put = { entities: [{ entity: 'application_9_0001', entitytype: 'YARN_APPLICATION', starttime: 1, events: [] }] };
    const puts = async (user: string) => (await ask(user, `${timeline}/ws/v1/timeline`, put)).text;
    assert.match(await puts('rm/elsewhere'), /"errorcode":4/);
    assert.match(await puts('ann'), /"errorcode":4/);
    assert.doesNotMatch(await puts('rm/127.0.0.1'), /errorcode/);
    const acting = { 'heddle-acting-user': 'root' };
    assert.equal((await ask('eve', `${nodeManager}/conf`, undefined, acting)).status, 403);
    assert.equal((await ask('rm/127.0.0.1', `${nodeManager}/conf`, undefined, acting)).status, 200);
  });
});

describe('a server whose key is of no use', () => {
  const started = async (changes: Record<string, string>) => {
    await using other = await startProcesses({ mode: 'none', settings: { ...settings, ...changes } });
    const { code, output } = await other.heddle('start', 'node-manager');
    assert.notEqual(code, 0);
    return output;
  };

  it('says what the KDC said, and does not start', async () => {
    const keytab = realm.keytab('gone.keytab', 'nm/gone');
    const gone = { 'yarn.nodemanager.principal': `nm/gone@${realm.name}`, 'yarn.nodemanager.keytab': keytab };
    realm.forget('nm/gone');
    assert.match(
      await started(gone),
      /yarn\.nodemanager\.keytab: Kerberos gives no ticket for nm\/gone@HEDDLE\.TEST: .*not found in Kerberos database/,
    );
    assert.match(await started({ 'yarn.nodemanager.principal': '' }), /a keytab is named, and no principal/);
  });

  it('says that no KDC answers', async () => {
    const configuration = join(realm.home, 'away.conf');
    writeFileSync(configuration, readFileSync(realm.configuration, 'utf8').replace(/ kdc = \S+/, ' kdc = 127.0.0.1:1'));
    process.env['KRB5_CONFIG'] = configuration;
    try {
      assert.match(await started({}), /Kerberos gives no ticket for nm\/localhost@HEDDLE\.TEST: .*Cannot contact any KDC/);
    } finally {
      process.env['KRB5_CONFIG'] = realm.configuration;
    }
  });
});

describe('a ticket of a server', () => {
  it('is got anew before it ends', async () => {
    const configuration = join(realm.home, 'short.conf');
    writeFileSync(
      configuration,
      readFileSync(realm.configuration, 'utf8').replace('[libdefaults]', '[libdefaults]\n ticket_lifetime = 5s'),
    );
    process.env['KRB5_CONFIG'] = configuration;
    try {
      const gss = new Gss({ clock: systemClock, logger: silentLogger });
      const lifetimeMs = await gss.login(`ann@${realm.name}`, keytabOf('ann'));
      assert.equal(lifetimeMs, 5000);
      assert.equal(await gss.login(`ann@${realm.name}`, keytabOf('ann')), 5000, 'a new one, whole again');
      gss.close();
    } finally {
      process.env['KRB5_CONFIG'] = realm.configuration;
    }
  });
});
