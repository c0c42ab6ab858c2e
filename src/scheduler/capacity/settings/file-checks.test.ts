import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { ResourceTypes } from '../../../model/resource.ts';
import { Simulator } from '../../conformance/simulator.ts';
import { ConfigurationRefused } from '../../policy.ts';
import { checkFile } from './file-checks.ts';

const types = new ResourceTypes();
const two = { 'root.queues': 'a,b', 'root.a.capacity': '50', 'root.b.capacity': '50' };
const absolute = { 'root.queues': 'a', 'root.a.capacity': '[memory=4096,vcores=4]' };

/** What is wrong with a file: the queues laid over `two`, the key that must be named, the sentence. */
const faults: readonly (readonly [string, Record<string, string>, string, RegExp])[] = [
  ['percentages above 100', { 'root.b.capacity': '60' }, 'root.a.capacity', /^Illegal capacity sum of 1\.1 /],
  ['percentages below 100', { 'root.b.capacity': '10' }, 'root.a.capacity', /^Illegal capacity sum of 0\.6/],
  ['a capacity below 0', { 'root.b.capacity': '-1' }, 'root.b.capacity', /^Illegal capacity of -1\.0/],
  ['a name twice', { 'root.queues': 'a,b,a' }, 'root.queues', /^Two queues were named root\.a$/],
  ['a path for a name', { 'root.queues': 'a,b,x.y' }, 'root.queues', /^x\.y is not a valid queue name$/],
  ['no queues', { 'root.queues': '' }, 'root.queues', /missing child queue names for root/],
  ['mixed units', { 'root.b.capacity': '2w' }, 'root.queues', /used mixed of/],
  ['a vector without a number', { 'root.b.capacity': '[memory=lots]' }, 'root.b.capacity', /^(empty String|For input string)/],
  [
    'a minimum above its maximum',
    { ...absolute, 'root.a.maximum-capacity': '[memory=2048,vcores=8]' },
    'root.a.maximum-capacity',
    /^Min resource configuration <memory:4096, vCores:4> is greater than its max value:<memory:2048, vCores:8> in queue:root\.a$/,
  ],
  [
    'more promised to children than the parent has',
    { ...absolute, 'root.a.queues': 'x', 'root.a.x.capacity': '[memory=8192,vcores=1]' },
    'root.a.capacity',
    /^Parent Queues capacity: /,
  ],
  [
    'a maximum above the parent’s',
    {
      ...absolute,
      'root.a.maximum-capacity': '[memory=4096,vcores=4]',
      'root.a.queues': 'x',
      'root.a.x.capacity': '[memory=1024,vcores=1]',
      'root.a.x.maximum-capacity': '[memory=8192,vcores=1]',
    },
    'root.a.x.maximum-capacity',
    /^Max resource configuration .* is greater than parents max value/,
  ],
  ['a limit that is no number', { 'root.a.maximum-applications': 'few' }, 'root.a.maximum-applications', /^For input string: "few"$/],
  ['a state there is not', { 'root.a.state': 'ASLEEP' }, 'root.a.state', /QueueState\.ASLEEP$/],
  [
    'a state that only Hadoop gives',
    { 'root.a.state': 'draining' },
    'root.a.state',
    /^Invalid queue state configuration\. We can only use RUNNING or STOPPED\.$/,
  ],
  [
    'a child that runs below a stopped parent',
    { 'root.a.state': 'STOPPED', 'root.a.queues': 'x', 'root.a.x.capacity': '100', 'root.a.x.state': 'RUNNING' },
    'root.a.x.state',
    /cannot be STOPPED/,
  ],
  ['a user weight below 0', { 'root.a.user-settings.ada.weight': '-2' }, 'root.a.user-settings.ada.weight', /must be between 0 and 100/],
  [
    'a larger container than the cluster allows',
    { 'root.a.maximum-allocation-mb': '999999' },
    'root.a.maximum-allocation-mb',
    /cannot be larger than the cluster setting/,
  ],
  ['a mapping to no queue', { 'queue-mappings': 'u:ada:nowhere' }, 'queue-mappings', /Path root 'nowhere' does not exist/],
  [
    'a mapping below a parent that makes none',
    { 'queue-mappings': 'u:ada:root.b.ada' },
    'queue-mappings',
    /parent queue 'root\.b', but it is not a dynamic parent queue, and no queue exists with name 'ada'/,
  ],
  ['half a mapping', { 'queue-mappings': 'u:ada' }, 'queue-mappings', /^Illegal queue mapping u:ada$/],
  ['rules that are no JSON', { 'mapping-rule-format': 'json', 'mapping-rule-json': '{' }, 'mapping-rule-json', /no JSON/],
  [
    'a rule for all groups',
    { 'mapping-rule-format': 'json', 'mapping-rule-json': '{"rules":[{"type":"group","matches":"*","policy":"user"}]}' },
    'mapping-rule-json',
    /Cannot match '\*' for groups/,
  ],
  [
    'a template that fails later',
    { 'root.a.auto-queue-creation-v2.enabled': 'true', 'root.a.auto-queue-creation-v2.leaf-template.capacity': 'much' },
    'root.a.auto-queue-creation-v2.leaf-template.capacity',
    /^For input string: "much"$/,
  ],
];

describe('a bad capacity file', () => {
  for (const [what, queues, key, sentence] of faults) {
    it(`is refused for ${what}`, () => {
      const all = { ...two, ...queues };
      const refused = (error: unknown) => {
        assert.ok(error instanceof ConfigurationRefused, String(error));
        assert.match(error.message, sentence);
        assert.equal(error.key, `yarn.scheduler.capacity.${key}`);
        assert.ok(error.remedy);
        return true;
      };
      assert.throws(() => new Simulator({ queues: all }), refused);
      const running = new Simulator({ queues: two });
      const before = JSON.stringify(running.policy.describe());
      const properties = new Map(Object.entries(all).map(([name, value]) => [`yarn.scheduler.capacity.${name}`, value]));
      assert.throws(() => running.policy.queueEditing!.replace(properties), refused);
      assert.equal(JSON.stringify(running.policy.describe()), before);
    });
  }

  it('is refused for vectors of which a part would be passed over', () => {
    const file = (vector: string) => checkFile(new Map([['yarn.scheduler.capacity.root.a.capacity', vector]]), types);
    file('[memory=4096,vcores=4]');
    assert.throws(() => file('[memory=50%,vcores=4]'), /cannot have in legacy queue mode/);
    assert.throws(() => file('[memory=4096,cores=4]'), /cores of .* is no resource/);
    assert.throws(() => file('[memory=-1,vcores=4]'), /memory=-1 of .* is no amount/);
    assert.throws(() => file('[memory=1,memory=2]'), /memory stands twice/);
  });

  it('is refused where queues of one parent are promised in different ways, in legacy queue mode', () => {
    const mixed = (further: Record<string, string>) => {
      const queues = { ...two, 'root.a.capacity': '[memory=4096,vcores=4]', ...further };
      checkFile(new Map(Object.entries(queues).map(([name, value]) => [`yarn.scheduler.capacity.${name}`, value])), types);
    };
    assert.throws(() => mixed({}), /below root are promised in different ways \(a amounts, b percentages\)/);
    mixed({ 'legacy-queue-mode.enabled': 'false' });
    assert.throws(() => mixed({ 'root.b.capacity': '[memory=1024,vcores=1]', 'root.a.maximum-applications': '-3' }), /-3 is below 0/);
    assert.throws(
      () => mixed({ 'root.b.capacity': '[memory=1024,vcores=1]', 'resource-calculator': 'org.example.Mine' }),
      /no resource calculator/,
    );
  });

  it('is refused for children of a queue that no list names, but not for a queue with its parent’s name', () => {
    const declared = (queues: Record<string, string>) =>
      checkFile(new Map(Object.entries(queues).map(([name, value]) => [`yarn.scheduler.capacity.${name}`, value])), types);
    declared({ 'root.queues': 'a', 'root.a.queues': 'a', 'root.a.a.capacity': '100' });
    assert.throws(
      () => declared({ 'root.queues': 'a', 'root.x.queues': 'y' }),
      /Queue root\.x has children \(y\), but its parent root does not name it/,
    );
  });
});

describe('mapping rules in JSON', () => {
  const rules = (list: object[]) => ({ ...two, 'mapping-rule-format': 'json', 'mapping-rule-json': JSON.stringify({ rules: list }) });
  const place = (list: object[], user = 'ada', queues: Record<string, string> = {}) =>
    new Simulator({ queues: { ...rules(list), ...queues }, settings: { groupsOf: () => ['staff', 'b', 'a'] } }).policy.place({
      applicationId: 'x',
      user,
      queue: undefined,
      name: 'b',
      tags: [],
    });
  const placed = (queue: string) => ({ queue, mapped: true });

  it('skip to the next rule where the queue is missing, unless the fallback says otherwise', () => {
    const missing = { type: 'user', matches: '*', policy: 'user' };
    assert.deepEqual(place([missing, { type: 'user', matches: 'ada', policy: 'custom', customPlacement: 'root.b' }]), placed('root.b'));
    assert.ok('rejected' in place([{ ...missing, fallbackResult: 'reject' }]));
    const preset = { type: 'user', matches: '*', policy: 'setDefaultQueue', value: 'root.a' };
    assert.deepEqual(place([preset, { ...missing, fallbackResult: 'placeDefault' }]), placed('root.a'));
  });

  it('know groups, names and queues made on the way', () => {
    assert.deepEqual(place([{ type: 'application', matches: 'b', policy: 'applicationName', parentQueue: 'root' }]), placed('root.b'));
    assert.deepEqual(place([{ type: 'group', matches: 'staff', policy: 'secondaryGroup', parentQueue: 'root' }]), placed('root.b'));
    const flexible = { 'root.a.auto-queue-creation-v2.enabled': 'true' };
    const nested = { type: 'user', matches: '*', policy: 'primaryGroupUser', parentQueue: 'root.a' };
    assert.deepEqual(place([nested], 'ada', flexible), placed('root.a.staff.ada'));
    assert.deepEqual(place([{ ...nested, create: false }], 'ada', flexible), { queue: 'default' });
  });
});
