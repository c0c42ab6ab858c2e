import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { Configuration, loadConfiguration } from './load.ts';
import { commonSettings } from './settings/common.ts';
import { nodeManagerSettings } from './settings/node-manager.ts';
import { ConfigurationError, defineSettings } from './table.ts';

const folder = mkdtempSync(join(tmpdir(), 'heddle-configuration-'));
after(() => rmSync(folder, { recursive: true, force: true }));

let number = 0;
function confWith(files: Record<string, string>): string {
  const dir = join(folder, `conf-${number++}`);
  mkdirSync(dir);
  for (const [name, text] of Object.entries(files)) writeFileSync(join(dir, name), text);
  return dir;
}
const site = (...properties: string[]): string => `<?xml version="1.0"?><configuration>${properties.join('')}</configuration>`;
const property = (name: string, value: string, more = ''): string =>
  `<property><name>${name}</name><value>${value}</value>${more}</property>`;

describe('configuration', () => {
  it('has defaults, loopback addresses among them', () => {
    const configuration = loadConfiguration({ dataDir: folder });
    const values = configuration.values(commonSettings);
    assert.equal(values.resourceManagerWebAddress, '127.0.0.1:8088');
    assert.equal(values.temporaryDirectory, join(folder, 'tmp'));
    assert.equal(values.webProxyAddress, undefined);
    assert.deepEqual(configuration.values(nodeManagerSettings).localDirectories, [join(folder, 'node-manager/local')]);
  });

  it('follows includes in their place, and their fallbacks', () => {
    const include = (href: string, inside = ''): string =>
      `<xi:include xmlns:xi="http://www.w3.org/2001/XInclude" href="${href}">${inside}</xi:include>`;
    const confDir = confWith({
      'core-site.xml': site(
        property('one', 'before'),
        property('two', 'before'),
        include('more.xml'),
        property('two', 'after'),
        include('absent.xml', `<xi:fallback>${property('three', 'fallback')}</xi:fallback>`),
      ),
      'more.xml': site(property('one', 'included'), property('two', 'included'), include('deep.xml')),
      'deep.xml': site('<property name="four" value="${one} of deep"/>'),
      'capacity-scheduler.xml': site(include('queues.xml')),
      'queues.xml': site(property('yarn.scheduler.capacity.root.queues', 'a')),
    });
    const configuration = loadConfiguration({ confDir, dataDir: folder });
    const found = ['one', 'two', 'three', 'four'].map((key) => [configuration.get(key), configuration.origin(key)?.source]);
    assert.deepEqual(found, [
      ['included', 'core-site.xml → more.xml'],
      ['after', 'core-site.xml'],
      ['fallback', 'core-site.xml'],
      ['included of deep', 'core-site.xml → deep.xml'],
    ]);
    assert.equal(configuration.file('capacity-scheduler.xml').get('yarn.scheduler.capacity.root.queues'), 'a');
    const refused = (text: string): RegExp => new RegExp(`core-site.xml: include of '[^']*': ${text}`);
    const refuses = (files: Record<string, string>, message: RegExp) =>
      assert.throws(() => loadConfiguration({ confDir: confWith(files), dataDir: folder }), message);
    refuses({ 'core-site.xml': site(include('absent.xml')) }, refused('does not exist'));
    refuses({ 'core-site.xml': site(include('http://127.0.0.1:1/x.xml')) }, refused('is not a file'));
    refuses({ 'core-site.xml': site(include('b.xml')), 'b.xml': site(include('core-site.xml')) }, refused('leads back'));
    refuses({ 'core-site.xml': site(include('b.xml')), 'b.xml': '<configuration>' }, /b\.xml: line 1/);
  });

  it('lays files, heddle.yaml, environment and command line over each other', () => {
    const confDir = confWith({
      'core-site.xml': site(property('hadoop.http.staticuser.user', 'core')),
      'yarn-site.xml': site(
        property('yarn.admin.acl', 'site'),
        property('yarn.acl.enable', 'true'),
        property('yarn.nodemanager.hostname', 'a'),
        property('yarn.resourcemanager.cluster-id', 'one'),
      ),
      'heddle.yaml':
        'yarn:\n  admin.acl: yaml\n  nodemanager: { hostname: b }\nyarn.resourcemanager.cluster-id: two\nheddle:\n  log:\n    level: debug\n',
    });
    const configuration = loadConfiguration({
      confDir,
      dataDir: folder,
      environment: { HEDDLE_YARN_NODEMANAGER_HOSTNAME: 'c', HEDDLE_SET: 'yarn.resourcemanager.cluster-id=three', HEDDLE_ATTEMPT_ID: 'x' },
      set: { 'yarn.resourcemanager.cluster-id': 'four' },
    });
    assert.equal(configuration.get('hadoop.http.staticuser.user'), 'core');
    assert.equal(configuration.get('yarn.acl.enable'), 'true');
    assert.equal(configuration.get('yarn.admin.acl'), 'yaml');
    assert.equal(configuration.get('yarn.nodemanager.webapp.address'), 'c:8042');
    assert.equal(configuration.get('yarn.resourcemanager.cluster-id'), 'four');
    assert.equal(configuration.get('heddle.log.level'), 'debug');
    assert.equal(configuration.origin('yarn.admin.acl')?.source, 'heddle.yaml');
    assert.equal(configuration.origin('yarn.nodemanager.hostname')?.source, 'environment HEDDLE_YARN_NODEMANAGER_HOSTNAME');
  });

  it('keeps final properties against later files, but not against the command line', () => {
    const confDir = confWith({
      'core-site.xml': site(
        property('yarn.admin.acl', 'first', '<final>true</final>'),
        property('yarn.acl.enable', 'true', '<final>true</final>'),
      ),
      'yarn-site.xml': site(property('yarn.admin.acl', 'second')),
    });
    const configuration = loadConfiguration({ confDir, dataDir: folder, set: { 'yarn.acl.enable': 'false' } });
    assert.equal(configuration.get('yarn.admin.acl'), 'first');
    assert.equal(configuration.values(commonSettings).aclEnabled, false);
    assert.match(configuration.notes.join(), /yarn-site.xml: yarn.admin.acl is final in core-site.xml/);
  });

  it('expands variables, and leaves unknown and endless ones', () => {
    const configuration = loadConfiguration({
      dataDir: folder,
      set: { a: '${b}/x', b: '${yarn.resourcemanager.hostname}', c: '${unknown}', d: '${d}', e: '${env.HEDDLE_NOT_SET:-other}' },
    });
    assert.equal(configuration.get('a'), '127.0.0.1/x');
    assert.equal(configuration.get('c'), '${unknown}');
    assert.equal(configuration.get('d'), '${d}');
    assert.equal(configuration.get('e'), 'other');
  });

  it('gives the properties of a file of its own, with what other layers set in it', () => {
    const confDir = confWith({
      'yarn-site.xml': site(property('yarn.scheduler.capacity.root.queues', 'site'), property('yarn.scheduler.capacity.x', 'site')),
      'capacity-scheduler.xml': site(
        property('yarn.scheduler.capacity.root.queues', 'a,b'),
        property('yarn.scheduler.capacity.root.a.capacity', '50'),
      ),
      'fair-scheduler.xml': '<allocations><queue name="a"/></allocations>',
    });
    const configuration = loadConfiguration({ confDir, dataDir: folder, set: { 'yarn.scheduler.capacity.root.a.capacity': '60' } });
    assert.deepEqual(Object.fromEntries(configuration.file('capacity-scheduler.xml')), {
      'yarn.scheduler.capacity.root.queues': 'a,b',
      'yarn.scheduler.capacity.root.a.capacity': '60',
      'yarn.scheduler.capacity.x': 'site',
    });
    assert.match(configuration.rawFile('fair-scheduler.xml') ?? '', /<queue name="a"/);
    assert.equal(configuration.rawFile('other.xml'), undefined);
  });

  it('survives the way to another thread', () => {
    const first = loadConfiguration({ dataDir: folder, set: { 'yarn.acl.enable': 'true' } });
    const second = new Configuration(structuredClone(first.snapshot()));
    assert.equal(second.values(commonSettings).aclEnabled, true);
    assert.equal(second.origin('yarn.acl.enable')?.source, 'command line');
  });

  it('refuses unknown settings of its own and bad values, naming place and remedy', () => {
    const refuses = (options: { set?: Record<string, string>; confDir?: string }, message: RegExp): void => {
      assert.throws(
        () => loadConfiguration({ dataDir: folder, ...options }),
        (error) => error instanceof ConfigurationError && message.test(error.message),
      );
    };
    refuses({ set: { 'heddle.log.levle': 'info' } }, /command line: heddle\.log\.levle: .*Did you mean heddle\.log\.level\?/);
    refuses({ set: { 'yarn.acl.enable': 'maybe' } }, /command line: yarn\.acl\.enable: 'maybe' is not true or false/);
    refuses({ set: { 'yarn.nodemanager.webapp.address': 'host:99999' } }, /host:port/);
    refuses(
      { confDir: confWith({ 'yarn-site.xml': site(property('yarn.scheduler.minimum-allocation-mb', '1x')) }) },
      /yarn-site\.xml: yarn\.scheduler\.minimum-allocation-mb: '1x' is not a whole number/,
    );
    refuses({ confDir: confWith({ 'yarn-site.xml': '<configuration><property></configuration>' }) }, /yarn-site\.xml: line 1/);
    refuses({ confDir: confWith({ 'heddle.yaml': '- a\n- b\n' }) }, /heddle\.yaml: document: is not a map/);
    refuses({ confDir: join(folder, 'absent') }, /does not exist/);
  });

  it('names settings of Hadoop that it does not implement, once', () => {
    const configuration = loadConfiguration({
      dataDir: folder,
      set: { 'yarn.something.new': '1', 'hadoop.proxyuser.knox.hosts': '*', 'fs.s3a.endpoint': 'http://store' },
    });
    assert.deepEqual(configuration.notes, ['settings that Heddle does not implement: yarn.something.new (command line)']);
    assert.equal(configuration.values(commonSettings).proxyUsers.get('knox.hosts'), '*');
  });

  it('reads every type', () => {
    const table = defineSettings({
      time: { key: 't.time', type: 'durationMs', unit: 's', default: 5, about: '.' },
      size: { key: 't.size', type: 'bytes', default: '64k', about: '.' },
      part: { key: 't.part', type: 'number', default: '0.5', about: '.' },
      names: { key: 't.names', type: 'list', default: 'a, b,,c', about: '.' },
      folder: { key: 't.folder', type: 'path', default: 'file:///x/y', about: '.' },
      absent: { key: 't.absent', type: 'integer', about: '.' },
      empty: { key: 't.empty', type: 'integer', default: 3, about: '.' },
    });
    const configuration = loadConfiguration({ dataDir: folder, set: { 't.empty': ' ', 't.time': '2m' } });
    assert.deepEqual(
      { ...configuration.values(table) },
      { time: 120_000, size: 65_536, part: 0.5, names: ['a', 'b', 'c'], folder: '/x/y', absent: undefined, empty: 3 },
    );
  });
});
