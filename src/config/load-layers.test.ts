import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { homedir, tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import { after, afterEach, describe, it } from 'node:test';
import { nearestWords } from '../lib/nearest-words.ts';
import { Configuration, type ConfigurationOptions, loadConfiguration, readAgain } from './load.ts';
import { commonSettings } from './settings/common.ts';
import { heddleSettings } from './settings/heddle.ts';
import { nodeManagerSettings } from './settings/node-manager.ts';
import { resourceManagerSettings } from './settings/resource-manager.ts';
import { schedulerSettings } from './settings/scheduler.ts';
import { ConfigurationError, defineSettings } from './table.ts';

const folder = mkdtempSync(join(tmpdir(), 'heddle-layers-'));
after(() => rmSync(folder, { recursive: true, force: true }));

const property = (name: string, value: string, more = '') => `<property><name>${name}</name><value>${value}</value>${more}</property>`;
const final = '<final>true</final>';
let number = 0;
function confWith(files: Record<string, string>): string {
  const confDir = join(folder, `conf-${number++}`);
  mkdirSync(confDir);
  for (const [name, text] of Object.entries(files))
    writeFileSync(
      join(confDir, name),
      name.endsWith('.xml') && !text.startsWith('<allocations') ? `<configuration>${text}</configuration>` : text,
    );
  return confDir;
}
const load = (options: Partial<ConfigurationOptions> = {}) => loadConfiguration({ dataDir: folder, ...options });
const refused = (options: Partial<ConfigurationOptions>, message: RegExp) =>
  assert.throws(
    () => load(options),
    (error) => error instanceof ConfigurationError && message.test(error.message),
  );

describe('files of the cluster', () => {
  it('are read in the order in which Hadoop loads them, later ones over earlier ones', () => {
    const names = ['core-site.xml', 'mapred-site.xml', 'yarn-site.xml', 'resource-types.xml', 'node-resources.xml', 'hadoop-policy.xml'];
    for (let last = 0; last < names.length; last++) {
      const files = Object.fromEntries(names.slice(0, last + 1).map((name) => [name, property('a.key', name)]));
      const configuration = load({ confDir: confWith(files) });
      assert.deepEqual([configuration.get('a.key'), configuration.origin('a.key')?.source], [names[last], names[last]]);
    }
  });

  it('are read together with heddle.yaml, the environment and the command line, each over the one before', () => {
    const confDir = confWith({
      'yarn-site.xml': property('yarn.resourcemanager.cluster-id', 'site'),
      'heddle.yaml': 'yarn.resourcemanager.cluster-id: yaml',
    });
    const environment = { HEDDLE_YARN_RESOURCEMANAGER_CLUSTER_ID: 'environment' };
    const set = { 'yarn.resourcemanager.cluster-id': 'command' };
    const idOf = (options: Partial<ConfigurationOptions>) => load({ confDir, ...options }).get('yarn.resourcemanager.cluster-id');
    assert.deepEqual([idOf({}), idOf({ environment }), idOf({ environment, set })], ['yaml', 'environment', 'command']);
  });

  it('that are others say nothing', () => {
    assert.equal(
      load({ confDir: confWith({ 'hdfs-site.xml': property('a.key', 'x'), 'log4j.properties': 'a.key=x' }) }).get('a.key'),
      undefined,
    );
  });

  it('need a folder', () => {
    refused(
      { confDir: join(folder, 'absent') },
      /\/absent: does not exist\. Give --conf a folder with Hadoop's XML files or heddle\.yaml\.$/,
    );
    const file = join(folder, 'a-file');
    writeFileSync(file, '');
    refused({ confDir: file }, /\/a-file: is a file\. Give --conf the folder in which the files lie\.$/);
  });
});

describe('final properties', () => {
  const confDir = confWith({
    'core-site.xml': property('yarn.acl.enable', 'true', final) + property('same.key', 'x', final),
    'yarn-site.xml': property('yarn.acl.enable', 'false') + property('same.key', 'x'),
    'heddle.yaml': 'yarn.acl.enable: false',
  });

  it('stand against later files, heddle.yaml and the environment, each of which is noted', () => {
    const configuration = load({ confDir, environment: { HEDDLE_YARN_ACL_ENABLE: 'false' } });
    assert.equal(configuration.values(commonSettings).aclEnabled, true);
    const finals = configuration.notes.filter((note) => note.includes('is final'));
    assert.deepEqual(finals, [
      'yarn-site.xml: yarn.acl.enable is final in core-site.xml, its other value is ignored',
      'heddle.yaml: yarn.acl.enable is final in core-site.xml, its other value is ignored',
      'environment HEDDLE_YARN_ACL_ENABLE: yarn.acl.enable is final in core-site.xml, its other value is ignored',
    ]);
  });

  it('do not stand against the command line', () => {
    assert.equal(load({ confDir, set: { 'yarn.acl.enable': 'false' } }).values(commonSettings).aclEnabled, false);
  });
});

describe('variables', () => {
  afterEach(() => {
    delete process.env['HEDDLE_TEST_VARIABLE'];
  });
  const get = (set: Record<string, string>, key = 'a') => load({ set }).get(key);

  it('are other properties, their defaults too, to any depth', () => {
    assert.equal(get({ a: '<${b}>', b: '${c}-${c}', c: 'x' }), '<x-x>');
    assert.equal(get({ a: '${yarn.resourcemanager.hostname}:1' }), '127.0.0.1:1');
    assert.equal(get({ 'yarn.nodemanager.hostname': 'n' }, 'yarn.nodemanager.webapp.address'), 'n:8042');
  });

  it('are the environment, with something else where it is absent or empty', () => {
    process.env['HEDDLE_TEST_VARIABLE'] = 'set';
    assert.deepEqual(
      ['${env.HEDDLE_TEST_VARIABLE}', '${env.HEDDLE_TEST_VARIABLE:-other}', '${env.HEDDLE_TEST_VARIABLE-other}'].map((a) => get({ a })),
      ['set', 'set', 'set'],
    );
    process.env['HEDDLE_TEST_VARIABLE'] = '';
    assert.deepEqual(
      ['${env.HEDDLE_TEST_VARIABLE}', '${env.HEDDLE_TEST_VARIABLE:-other}', '${env.HEDDLE_TEST_VARIABLE-other}'].map((a) => get({ a })),
      ['', 'other', ''],
    );
    delete process.env['HEDDLE_TEST_VARIABLE'];
    assert.deepEqual(
      ['${env.HEDDLE_TEST_VARIABLE}', '${env.HEDDLE_TEST_VARIABLE:-a b}', '${env.HEDDLE_TEST_VARIABLE-}'].map((a) => get({ a })),
      ['${env.HEDDLE_TEST_VARIABLE}', '${env.HEDDLE_TEST_VARIABLE:-a b}', ''],
    );
  });

  it("are the user, the home, the folder for what is temporary and Heddle's data", () => {
    assert.equal(
      get({ a: '${user.name} ${user.home} ${java.io.tmpdir} ${heddle.data}' }),
      `${userInfo().username} ${homedir()} ${tmpdir()} ${folder}`,
    );
    assert.equal(get({ a: '${user.name}', 'user.name': 'other' }), 'other');
  });

  it('that are unknown, endless or no variables stay as they are', () => {
    for (const a of ['${unknown.key}', '${}', '$a', '${a b}', '${', '$${x}']) assert.equal(get({ a }), a, a);
    assert.equal(get({ a: '${b}', b: '${a}' })?.startsWith('${'), true);
    assert.equal(get({ a: 'x${a}' })?.length, 21 + '${a}'.length, 'put in twenty times, as in Hadoop');
  });

  it('are expanded in typed values and their defaults', () => {
    const values = load({
      set: { 'hadoop.tmp.dir': '/t', 'yarn.nodemanager.local-dirs': '${hadoop.tmp.dir}/a,${hadoop.tmp.dir}/b' },
    }).values(nodeManagerSettings);
    assert.deepEqual(values.localDirectories, ['/t/a', '/t/b']);
  });
});

describe('typed values', () => {
  it('are read once, and cannot be changed', () => {
    const configuration = load();
    const values = configuration.values(commonSettings);
    assert.equal(configuration.values(commonSettings), values);
    assert.throws(() => {
      (values as { aclEnabled: boolean }).aclEnabled = true;
    }, TypeError);
  });

  it('are refused where they are read, naming the file that set them', () => {
    const table = defineSettings({ size: { key: 'own.size', type: 'bytes', about: '.' } });
    const configuration = load({ set: { 'own.size': 'large' } });
    assert.throws(() => configuration.values(table), /^ConfigurationError: command line: own\.size: 'large' is not a size such as/);
  });

  it('of every component are those of its keys', () => {
    const set = {
      'yarn.resourcemanager.am.max-attempts': '5',
      'yarn.am.liveness-monitor.expiry-interval-ms': '30s',
      'yarn.nodemanager.resource.memory-mb': '2048',
      'yarn.nodemanager.pmem-check-enabled': 'false',
      'yarn.scheduler.minimum-allocation-mb': '256',
      'heddle.applications.retention': '2d',
      'heddle.staging.user-quota': '5g',
      'heddle.roles': 'resource-manager, node-manager',
    };
    const configuration = load({ set });
    assert.equal(configuration.values(resourceManagerSettings).masterExpiryMs, 30_000);
    assert.equal(configuration.values(schedulerSettings).minimumMemoryMiB, 256);
    const { retentionMs, stagingUserQuotaBytes, roles } = configuration.values(heddleSettings);
    assert.deepEqual([retentionMs, stagingUserQuotaBytes, roles], [172_800_000, 5 * 2 ** 30, ['resource-manager', 'node-manager']]);
  });
});

describe('notes', () => {
  const notesOf = (set: Record<string, string>) => load({ set }).notes;

  it('name what is not implemented, in order, once', () => {
    assert.deepEqual(
      notesOf({
        'yarn.z': '1',
        'yarn.a': '2',
        'yarn.scheduler.fair.max.assign': '5',
        'yarn.timeline-service.http-authentication.token.validity': '1',
      }),
      [
        'settings that Heddle does not implement: yarn.a (command line), yarn.scheduler.fair.max.assign (command line), yarn.timeline-service.http-authentication.token.validity (command line), yarn.z (command line)',
      ],
    );
  });

  it('say which paths lie on this machine, though a cluster of Hadoop would look for them on its file system', () => {
    const paths = { 'yarn.app.mapreduce.am.staging-dir': '/user', 'yarn.nodemanager.remote-app-log-dir': '/logs' };
    const said = 'but paths that name no file system are folders here, which all machines have to see';
    assert.deepEqual(notesOf({ ...paths, 'fs.defaultFS': 'hdfs://ns1' }), [
      `fs.defaultFS (command line) is hdfs://ns1, ${said}: yarn.app.mapreduce.am.staging-dir=/user, yarn.nodemanager.remote-app-log-dir=/logs`,
    ]);
    assert.deepEqual(notesOf({ 'yarn.nodemanager.remote-app-log-dir': 's3a://logs/a', 'fs.defaultFS': 's3a://b' }), [
      `fs.defaultFS (command line) is s3a://b, ${said}`,
    ]);
    assert.deepEqual(notesOf({ ...paths, 'fs.defaultFS': 'file:///' }), []);
  });

  it('name what changes nothing, with its reason, where it is not the default', () => {
    const key = 'yarn.webapp.filter-invalid-xml-chars';
    assert.deepEqual(notesOf({ [key]: 'true' }), [
      `settings that change nothing here: ${key} (command line): characters that XML forbids are always replaced`,
    ]);
    assert.deepEqual(notesOf({ [key]: 'false' }), []);
    assert.match(
      notesOf({ 'hadoop.security.group.mapping': 'org.example.Groups' }).join(),
      /hadoop\.security\.group\.mapping \(command line\): groups are those of the operating system/,
    );
  });

  it('say nothing of families, whatever stands below them', () => {
    assert.deepEqual(
      notesOf({
        'hadoop.proxyuser.knox.hosts': '*',
        'yarn.nodemanager.aux-services.x.class': 'X',
        'mapreduce.job.maps': '2',
        'fs.s3a.endpoint': 'x',
      }),
      [],
    );
  });
});

describe("settings of Heddle's own", () => {
  it('that are unknown are refused, with the nearest that there is', () => {
    refused(
      { set: { 'heddle.applications.retantion': '1d' } },
      /is not a setting of Heddle\. Did you mean heddle\.applications\.retention\? See "heddle config explain"\.$/,
    );
    refused({ set: { 'heddle.something.entirely.different': '1' } }, /Remove it; "heddle config show" lists the settings there are\.$/);
    refused(
      { confDir: confWith({ 'heddle.yaml': 'heddle: { rolls: x }' }) },
      /^heddle\.yaml: heddle\.rolls: is not a setting of Heddle\. Did you mean heddle\.roles\?/,
    );
  });

  it('are found by few edits, the nearest first', () => {
    const known = ['heddle.log.level', 'heddle.log.limit', 'yarn.acl.enable'];
    assert.deepEqual(nearestWords('heddle.log.leve', known)[0], 'heddle.log.level');
    assert.deepEqual(nearestWords('heddle.log.level', known)[0], 'heddle.log.level');
    assert.deepEqual(nearestWords('completely.other', known), []);
    assert.deepEqual(nearestWords('', known), []);
  });
});

describe('files of their own', () => {
  it('are over the files of the cluster, and below the other layers', () => {
    const key = 'yarn.scheduler.capacity.root.queues';
    const confDir = confWith({
      'yarn-site.xml': property(key, 'site') + property(`${key}.x`, 'site'),
      'capacity-scheduler.xml': property(key, '${own}') + property('own', 'file'),
    });
    const plain = load({ confDir, set: { own: 'command' } });
    assert.equal(plain.file('capacity-scheduler.xml').get(key), 'command', 'variables are those of the whole configuration');
    assert.deepEqual(
      [
        plain.originIn('capacity-scheduler.xml', key),
        plain.originIn('capacity-scheduler.xml', `${key}.x`),
        plain.originIn('capacity-scheduler.xml', 'other'),
      ],
      ['capacity-scheduler.xml', 'yarn-site.xml', undefined],
    );
    const over = load({ confDir, set: { [key]: 'command' } });
    assert.deepEqual(
      [over.file('capacity-scheduler.xml').get(key), over.originIn('capacity-scheduler.xml', key)],
      ['command', 'command line'],
    );
    assert.deepEqual([...plain.file('no-such.xml')], []);
  });

  it('are read again alone, and only from a folder', () => {
    const confDir = confWith({ 'capacity-scheduler.xml': property('a', '1'), 'fair-scheduler.xml': '<allocations/>' });
    const first = load({ confDir });
    writeFileSync(join(confDir, 'capacity-scheduler.xml'), `<configuration>${property('a', '2')}</configuration>`);
    writeFileSync(join(confDir, 'fair-scheduler.xml'), '<allocations><queue name="x"/></allocations>');
    const second = first.withFileReadAgain('capacity-scheduler.xml');
    assert.deepEqual([first.file('capacity-scheduler.xml').get('a'), second.file('capacity-scheduler.xml').get('a')], ['1', '2']);
    assert.equal(second.rawFile('fair-scheduler.xml'), '<allocations/>');
    rmSync(join(confDir, 'capacity-scheduler.xml'));
    assert.equal(second.withFileReadAgain('capacity-scheduler.xml').rawFile('capacity-scheduler.xml'), undefined);
    const without = load();
    assert.equal(without.withFileReadAgain('capacity-scheduler.xml'), without);
  });
});

describe('reading again', () => {
  it('takes what files say now, and keeps what environment and command line said', () => {
    const confDir = confWith({ 'yarn-site.xml': property('yarn.resourcemanager.cluster-id', 'one') + property('yarn.admin.acl', 'site') });
    const first = load({ confDir, environment: { HEDDLE_YARN_ADMIN_ACL: 'environment' }, set: { 'yarn.acl.enable': 'true' } });
    writeFileSync(
      join(confDir, 'yarn-site.xml'),
      `<configuration>${property('yarn.resourcemanager.cluster-id', 'two') + property('yarn.acl.enable', 'false', final)}</configuration>`,
    );
    const second = readAgain(first);
    assert.deepEqual(
      ['yarn.resourcemanager.cluster-id', 'yarn.admin.acl', 'yarn.acl.enable'].map((key) => [second.get(key), second.origin(key)?.source]),
      [
        ['two', 'yarn-site.xml'],
        ['environment', 'environment HEDDLE_YARN_ADMIN_ACL'],
        ['true', 'command line'],
      ],
    );
    writeFileSync(join(confDir, 'yarn-site.xml'), 'no XML');
    assert.throws(() => readAgain(first), ConfigurationError);
    assert.equal(first.get('yarn.resourcemanager.cluster-id'), 'one');
  });
});

describe('all properties', () => {
  it('are those of the layers and the defaults, as they are written', () => {
    const all = new Map(
      load({ set: { 'a.key': '${b}', 'yarn.acl.enable': 'true' } })
        .properties()
        .map((one) => [one.key, one]),
    );
    assert.deepEqual(all.get('a.key'), { key: 'a.key', value: '${b}', source: 'command line', final: false });
    assert.deepEqual([all.get('yarn.acl.enable')?.value, all.get('yarn.admin.acl')?.source], ['true', 'defaults']);
    assert.ok(![...all.keys()].some((key) => key.endsWith('.')), 'families are no properties');
  });

  it('survive the way to another thread, and families with them', () => {
    const first = load({ set: { 'hadoop.proxyuser.knox.hosts': '${host}', host: 'h' } });
    const second = new Configuration(structuredClone(first.snapshot()));
    assert.deepEqual([...second.family('hadoop.proxyuser.')], [['knox.hosts', 'h']]);
    assert.deepEqual(second.notes, first.notes);
    assert.deepEqual(second.snapshot(), first.snapshot());
  });
});
