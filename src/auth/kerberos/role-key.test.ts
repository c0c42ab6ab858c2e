import assert from 'node:assert/strict';
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { pino } from 'pino';
import { loadConfiguration } from '../../config/load.ts';
import { ConfigurationError } from '../../config/table.ts';
import { ManualClock } from '../../lib/clock.ts';
import { writeKeytab } from '../test-support/keytab.ts';
import { GssRefused } from './gss.ts';
import { openRoleKey, type RoleGss, type RoleKey } from './role-key.ts';
import { type KeyedRole, rolePrincipal, serverPrincipals } from './role-principals.ts';

const folder = mkdtempSync(join(tmpdir(), 'heddle-role-key-'));
after(() => rmSync(folder, { recursive: true, force: true }));
const keytab = writeKeytab(join(folder, 'rm.keytab'), 'rm/hub', 'nm/hub');
const asks = { 'hadoop.security.authentication': 'kerberos' };
const complete = {
  ...asks,
  'yarn.resourcemanager.address': 'hub:8032',
  'yarn.resourcemanager.principal': 'rm/_HOST@R',
  'yarn.resourcemanager.keytab': keytab,
};
const configured = (set: Record<string, string>) => loadConfiguration({ dataDir: folder, set });

const clock = new ManualClock();
/** A KDC: what it answers to each login, the last one for ever. */
async function opened(answers: readonly (number | Error)[], set: Record<string, string> = complete, role: KeyedRole = 'resource-manager') {
  const asked: string[] = [];
  const lines: { msg: string; reason?: string }[] = [];
  let isClosed = false;
  const gss: RoleGss = {
    begin: () => assert.fail('no caller'),
    login: async (principal) => {
      const answer = answers[Math.min(asked.push(principal), answers.length) - 1]!;
      if (answer instanceof Error) throw answer;
      return answer;
    },
    show: async (service, principal) => `${service} ${principal}`,
    close: () => {
      isClosed = true;
    },
  };
  const logger = pino({ level: 'info', base: undefined }, { write: (line: string) => void lines.push(JSON.parse(line)) });
  const opening = openRoleKey({ role, configuration: configured(set), clock, logger, gssOf: () => gss });
  let key: RoleKey | undefined;
  let refusal: unknown;
  try {
    key = await opening;
  } catch (error) {
    refusal = error;
  }
  return { key, refusal, asked, lines, isClosed: () => isClosed };
}
/** Lets what was answered go on. */
const settled = () => new Promise((done) => setImmediate(done));

describe('the key of a role', () => {
  it('is proven at the start, and gives tickets', async () => {
    const { key, asked } = await opened([3_600_000]);
    assert.deepEqual([key?.principal, asked], ['rm/hub@R', ['rm/hub@R']]);
    assert.equal(await key?.ticketFor('node7'), 'HTTP@node7 rm/hub@R');
    key?.close();
  });

  it('is not looked at where nothing asks for tickets, and not missed where no keytab is named', async () => {
    for (const set of [{ ...complete, 'hadoop.security.authentication': 'simple' }, asks]) {
      const { key, refusal, asked } = await opened([1], set);
      assert.deepEqual([key, refusal, asked], [undefined, undefined, []]);
    }
    const timeline = {
      ...complete,
      'hadoop.security.authentication': 'simple',
      'yarn.timeline-service.http-authentication.type': 'kerberos',
    };
    const { key } = await opened([1000], timeline);
    assert.equal(key?.principal, 'rm/hub@R', 'the timeline alone asks for tickets');
    key?.close();
  });

  it('that is of no use ends the start with what is wrong', async () => {
    const open = writeKeytab(join(folder, 'open.keytab'), 'rm/hub');
    chmodSync(open, 0o604);
    const writable = writeKeytab(join(folder, 'writable.keytab'), 'rm/hub');
    chmodSync(writable, 0o620);
    for (const [changes, message] of [
      [{ 'yarn.resourcemanager.keytab': open }, /open\.keytab can be read by others: its keys may be known/],
      [{ 'yarn.resourcemanager.keytab': writable }, /writable\.keytab can be written by others/],
      [{ 'yarn.resourcemanager.keytab': join(folder, 'none') }, /the keytab cannot be read: ENOENT/],
      [{ 'yarn.resourcemanager.principal': 'rm/other@R' }, /has no key of rm\/other@R: it has those of rm\/hub@R, nm\/hub@R/],
      [{ 'yarn.resourcemanager.principal': '' }, /a keytab is named, and no principal/],
    ] as const) {
      const { key, refusal, asked } = await opened([1], { ...complete, ...changes });
      assert.deepEqual([key, asked], [undefined, []]);
      assert.ok(refusal instanceof ConfigurationError);
      assert.match(refusal.message, message);
    }
    const { refusal, isClosed } = await opened([new GssRefused('Clock skew too great')]);
    assert.match(String(refusal), /yarn\.resourcemanager\.keytab: Kerberos gives no ticket for rm\/hub@R: Clock skew too great/);
    assert.ok(isClosed());
  });

  it('gets the next ticket before the last one ends', async () => {
    const { key, asked } = await opened([100_000, 200_000, 100_000]);
    clock.advance(79_999);
    assert.equal(asked.length, 1);
    clock.advance(1);
    await settled();
    assert.equal(asked.length, 2);
    clock.advance(159_999);
    assert.equal(asked.length, 2);
    clock.advance(1);
    await settled();
    assert.equal(asked.length, 3);
    key?.close();
    clock.advance(1_000_000);
    assert.equal(asked.length, 3, 'closed');
  });

  it('is tried again where the KDC is away, and says why', async () => {
    const away = new GssRefused('Cannot contact any KDC');
    const { key, asked, lines } = await opened([100_000, away, away, 100_000]);
    clock.advance(80_000);
    await settled();
    // Four times in what is left of the ticket.
    clock.advance(5_000);
    await settled();
    assert.equal(asked.length, 3);
    clock.advance(4_000);
    await settled();
    assert.equal(asked.length, 4, 'well before the end of the ticket');
    const told = lines.map(({ msg, reason }) => (reason === undefined ? msg : `${msg}: ${reason}`)).slice(1);
    const failed = 'the Kerberos ticket of this server was not renewed: Cannot contact any KDC';
    assert.deepEqual(told, [failed, failed, 'this server has a Kerberos ticket of its own again']);
    key?.close();
  });
});

describe('the principals of the settings', () => {
  it("stand for the hosts of their servers' addresses, a node's for its machine", () => {
    const configuration = configured({
      'yarn.resourcemanager.address': 'Hub:8032',
      'yarn.resourcemanager.principal': 'rm/_HOST@R',
      'yarn.nodemanager.principal': 'nm/_HOST@R',
      'yarn.timeline-service.hostname': 'times',
      'yarn.timeline-service.principal': 'ats/_HOST@R',
      'mapreduce.jobhistory.address': '0.0.0.0:10020',
      'mapreduce.jobhistory.principal': 'jhs/_HOST@R',
      'yarn.web-proxy.address': 'gate:9099',
      'yarn.web-proxy.principal': 'wap/fixed@R',
    });
    const here = hostname().toLowerCase();
    assert.equal(rolePrincipal('node-manager', configuration), `nm/${here}@R`);
    assert.deepEqual([...serverPrincipals(configuration)], ['rm/hub@R', 'ats/times@R', `jhs/${here}@R`, 'wap/fixed@R']);
  });

  it('of a timeline goes by the address of its RPC where one is set, as in Hadoop', () => {
    const set = { 'yarn.timeline-service.webapp.address': 'pages:8188', 'yarn.timeline-service.principal': 'ats/_HOST@R' };
    assert.equal(rolePrincipal('timeline', configured(set)), 'ats/pages@R');
    assert.equal(rolePrincipal('timeline', configured({ ...set, 'yarn.timeline-service.address': 'calls:10200' })), 'ats/calls@R');
  });

  it('are nobody where they are only defaults', () => {
    assert.deepEqual([...serverPrincipals(configured({}))], []);
  });
});
