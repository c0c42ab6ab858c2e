// Settings that a server cannot read: it does not start with them, and `heddle config check` and `heddle doctor` name them before, in the same words.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { findInSettings } from '../src/cli/doctor-settings.ts';
import { CommandLine } from '../src/cli/test-support/command-line.ts';
import { unreadableSettings } from '../src/cli/unreadable-settings.ts';
import { loadConfiguration } from '../src/config/load.ts';
import { ConfigurationError } from '../src/config/table.ts';
import { systemClock } from '../src/lib/clock.ts';
import { silentLogger } from '../src/lib/log.ts';
import { seededRandom } from '../src/lib/random.ts';
import { type RoleName, roleModules } from '../src/roles.ts';

const folder = mkdtempSync(join(tmpdir(), 'heddle-unreadable-'));
after(() => rmSync(folder, { recursive: true, force: true }));

interface Row {
  readonly role: RoleName;
  readonly set: Readonly<Record<string, string>>;
  /** What is said of it. */
  readonly says: RegExp;
}

const kerberos = {
  'hadoop.http.filter.initializers': 'org.apache.hadoop.security.AuthenticationFilterInitializer',
  'hadoop.http.authentication.type': 'kerberos',
  'hadoop.http.authentication.kerberos.principal': 'HTTP/localhost@R',
};
const oidc = { 'heddle.security.authentication': 'oidc', 'heddle.security.oidc.issuer': 'https://issuer.example.org' };
const authorized = { 'hadoop.security.authorization': 'true' };
const rows: readonly Row[] = [
  {
    role: 'resource-manager',
    set: { 'hadoop.proxyuser.hue.hosts': '10.0.0.0/40' },
    says: /hadoop\.proxyuser\.hue\.hosts: '10\.0\.0\.0\/40'/,
  },
  {
    role: 'resource-manager',
    set: { 'yarn.resourcemanager.proxyuser.hue.hosts': 'a/b' },
    says: /yarn\.resourcemanager\.proxyuser\.hue\.hosts: 'a\/b' is no range/,
  },
  {
    role: 'timeline',
    set: { 'yarn.timeline-service.http-authentication.proxyuser.hue.hosts': '10.0.0.0/' },
    says: /http-authentication\.proxyuser\.hue\.hosts: '10\.0\.0\.0\/'/,
  },
  {
    role: 'resource-manager',
    set: { ...kerberos, 'hadoop.security.auth_to_local': 'RULE:nonsense' },
    says: /hadoop\.security\.auth_to_local/,
  },
  ...(['resource-manager', 'history', 'timeline', 'node-manager'] as const).map((role) => ({
    role,
    set: {
      ...authorized,
      'yarn.timeline-service.generic-application-history.enabled': 'true',
      'security.service.authorization.default.hosts.blocked': '10.0.0.0/33',
    },
    says: /security\.service\.authorization\.default\.hosts\.blocked: '10\.0\.0\.0\/33' is no range/,
  })),
  { role: 'history', set: { 'heddle.security.authentication': 'oidc' }, says: /oidc\.issuer: the issuer is not named/ },
  {
    role: 'proxy',
    set: { ...oidc, 'heddle.security.oidc.audience': 'x', 'heddle.security.oidc.algorithms': 'none' },
    says: /oidc\.algorithms: 'none' is not taken/,
  },
  {
    role: 'resource-manager',
    set: { ...oidc, 'heddle.security.oidc.client-id': 'x', 'heddle.security.oidc.client-secret-file': join(folder, 'absent') },
    says: /oidc\.client-secret-file: .*absent cannot be read/,
  },
  { role: 'resource-manager', set: { 'hadoop.rpc.protection': 'secrecy' }, says: /hadoop\.rpc\.protection: secrecy is no protection/ },
  { role: 'history', set: { 'hadoop.rpc.protection': 'secrecy' }, says: /hadoop\.rpc\.protection: secrecy is no protection/ },
  {
    role: 'resource-manager',
    set: { 'heddle.webhooks.allowed-hosts': 'a b' },
    says: /allowed-hosts: 'a b' is neither a host nor a network/,
  },
  {
    role: 'resource-manager',
    set: { 'heddle.traces.endpoint': 'collector:4318' },
    says: /heddle\.traces\.endpoint: 'collector:4318' is no address/,
  },
  { role: 'node-manager', set: { 'yarn.nodemanager.resource-type.fpga': 'many' }, says: /resource-type\.fpga: many is no amount/ },
  {
    role: 'node-manager',
    set: { 'yarn.nodemanager.node-labels.provider': 'oracle' },
    says: /node-labels\.provider: oracle is no provider/,
  },
  {
    role: 'node-manager',
    set: { 'yarn.nodemanager.node-attributes.provider': 'script' },
    says: /node-attributes\.provider: the script is not named/,
  },
  {
    role: 'node-manager',
    set: { 'yarn.nodemanager.runtime.linux.allowed-runtimes': 'default,jail' },
    says: /allowed-runtimes: there is no runtime 'jail'/,
  },
  {
    role: 'node-manager',
    set: { 'yarn.nodemanager.runtime.linux.type': 'jail' },
    says: /runtime\.linux\.type: there is no runtime 'jail'/,
  },
  { role: 'node-manager', set: { 'yarn.nodemanager.resource-plugins': 'yarn.io/fpga' }, says: /resource-plugins: there is no plug-in/ },
  {
    role: 'node-manager',
    set: { 'yarn.nodemanager.resource-plugins': 'yarn.io/gpu', 'yarn.nodemanager.resource-plugins.gpu.allowed-gpu-devices': '0:0,0:1' },
    says: /allowed-gpu-devices: GPU '0:1' is listed twice/,
  },
  {
    role: 'node-manager',
    set: { 'yarn.nodemanager.remote-app-log-dir': 's3a://a_B/logs' },
    says: /remote-app-log-dir: 'a_B' is no name of a bucket/,
  },
  {
    role: 'history',
    set: { 'yarn.nodemanager.remote-app-log-dir': 's3a://a_B/logs' },
    says: /remote-app-log-dir: 'a_B' is no name of a bucket/,
  },
];

let starts = 0;
/** Starts the role; what it says when it does not. */
async function refusalOf(role: RoleName, set: Readonly<Record<string, string>>): Promise<string> {
  const dataDir = join(folder, `data-${starts++}`);
  const ports = ['resourcemanager.webapp', 'timeline-service.webapp', 'nodemanager.webapp', 'web-proxy'].map((name) => [
    `yarn.${name}.address`,
    '127.0.0.1:0',
  ]);
  const configuration = loadConfiguration({
    dataDir,
    set: { ...Object.fromEntries(ports), 'mapreduce.jobhistory.webapp.address': '127.0.0.1:0', ...set },
  });
  const { start } = await roleModules[role]();
  try {
    const running = await start(configuration, { clock: systemClock, random: seededRandom(1), logger: silentLogger });
    await running.close();
    return 'it starts';
  } catch (error) {
    if (!(error instanceof ConfigurationError)) throw error;
    return error.message;
  }
}

describe('settings that cannot be read', () => {
  for (const { role, set, says } of rows)
    it(`are told before a start, and end one: ${says.source.slice(0, 60)} (${role})`, async () => {
      const [fault, ...others] = await unreadableSettings(loadConfiguration({ dataDir: folder, set }));
      assert.match(fault?.message ?? 'nothing', says);
      assert.deepEqual(others, []);
      const parts = (text: string) => text.replace(/^[^:]*: /, '');
      assert.equal(parts(await refusalOf(role, set)), parts(fault!.message));
    });

  it('are all named by heddle config check, and by heddle doctor', async () => {
    await using commandLine = new CommandLine({});
    const set = rows.filter(({ role }) => role !== 'history').slice(0, 3);
    const args = set.flatMap((row) => Object.entries(row.set).flatMap(([key, value]) => ['--set', `${key}=${value}`]));
    const check = await commandLine.run('config', 'check', '--data', folder, ...args);
    assert.equal(check.code, 1);
    const found = await findInSettings(loadConfiguration({ dataDir: folder, set: Object.assign({}, ...set.map((row) => row.set)) }));
    const problems = found.flatMap(({ level, what }) => (level === 'problem' ? [what] : [])).join('\n');
    for (const { says } of set) {
      assert.match(check.err, says);
      assert.match(problems, says);
    }
  });
});
