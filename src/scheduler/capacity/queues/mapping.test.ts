import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Simulator } from '../../conformance/simulator.ts';
import type { Placement } from '../../entries.ts';
import { ConfigurationRefused } from '../../policy.ts';

const queues = {
  'root.queues': 'default,sales,users',
  'root.default.capacity': '20',
  'root.sales.capacity': '40',
  'root.users.capacity': '40',
  'root.sales.queues': 'emea,apac',
  'root.sales.emea.capacity': '50',
  'root.sales.apac.capacity': '50',
  'root.users.auto-create-child-queue.enabled': 'true',
};
/** Below `users` queues come by themselves, those above them too. */
const flexible = {
  'root.users.auto-create-child-queue.enabled': 'false',
  'root.users.auto-queue-creation-v2.enabled': 'true',
  'legacy-queue-mode.enabled': 'false',
};
const rejected: Placement = { rejected: 'Application submission have been rejected by a mapping rule. Please see the logs for details' };
const placed = (queue: string): Placement => ({ queue, mapped: true });

function place(
  keys: Record<string, string>,
  asked?: { queue?: string | undefined; user?: string; name?: string; groups?: string[] },
): Placement {
  const { groups = ['staff', 'emea', 'ops'], queue, user = 'ada', name = 'nightly' } = asked ?? {};
  const { policy } = new Simulator({ queues: { ...queues, ...keys }, settings: { groupsOf: () => groups } });
  return policy.place({ applicationId: 'application_1_0001', user, queue, name, tags: [] });
}
const mapped = (rules: string, asked?: Parameters<typeof place>[1], more: Record<string, string> = {}): Placement =>
  place({ 'queue-mappings': rules, ...more }, asked);

describe('queue mappings', () => {
  it('leave a submission that names a queue where it is, unless they override it', () => {
    assert.deepEqual(mapped('u:ada:root.sales.emea', { queue: 'root.default' }), { queue: 'root.default' });
    assert.deepEqual(mapped('u:ada:root.sales.emea', { queue: 'default' }), placed('root.sales.emea'));
    const override = { 'queue-mappings-override.enable': 'true' };
    assert.deepEqual(mapped('u:ada:root.sales.emea', { queue: 'root.default' }, override), placed('root.sales.emea'));
    assert.deepEqual(place({}), { queue: 'default' });
  });

  it('take the first rule of the user or of one of its groups', () => {
    assert.deepEqual(mapped('u:ben:root.default,g:ops:root.sales.apac,u:ada:root.sales.emea'), placed('root.sales.apac'));
    assert.deepEqual(mapped('g:admins:root.default'), { queue: 'default' });
    assert.deepEqual(mapped('g:admins:root.default', { queue: 'root.sales.emea' }), { queue: 'root.sales.emea' });
  });

  it('fill in names of users, groups and applications', () => {
    assert.deepEqual(mapped('u:%user:root.users.%user', { user: 'ada.l' }), placed('root.users.ada_dot_l'));
    assert.deepEqual(mapped('u:%user:root.sales.%secondary_group'), placed('root.sales.emea'));
    assert.deepEqual(mapped('u:%user:root.users.%primary_group'), placed('root.users.staff'));
    assert.deepEqual(place({ 'queue-mappings-by-name': 'nightly:root.sales.apac' }), placed('root.sales.apac'));
    assert.deepEqual(mapped('u:ada:root.users.%application', { name: 'prod.etl' }, flexible), placed('root.users.prod.etl'));
    assert.deepEqual(place({ 'queue-mappings-by-name': '%application:root.users.%application' }), placed('root.users.nightly'));
  });

  it('leave what is no variable of the submission as it stands', () => {
    assert.deepEqual(mapped('u:ada:root.users.of_%user'), placed('root.users.of_%user'));
    assert.deepEqual(mapped('u:ada:root.users.%nothing'), placed('root.users.%nothing'));
    for (const group of ['%primary_group', '%secondary_group'])
      assert.deepEqual(mapped(`u:ada:root.users.${group}`, { groups: [] }), placed(`root.users.${group}`));
  });

  it('compare texts in which variables stand', () => {
    assert.deepEqual(mapped('g:%user:root.sales.apac', { user: 'ops' }), placed('root.sales.apac'));
    assert.deepEqual(mapped('g:%application:root.sales.apac', { name: 'ops' }), placed('root.sales.apac'));
    assert.deepEqual(mapped('g:%primary_group:root.sales.apac', { groups: [] }), { queue: 'default' });
  });

  it('go to the default queue where their own cannot be used', () => {
    assert.deepEqual(mapped('u:%user:root.sales.%user'), placed('root.default'));
    assert.deepEqual(mapped('u:%user:root.users.%application', { name: '' }), placed('root.default'));
    assert.deepEqual(mapped('u:%user:root.users.%secondary_group'), placed('root.default'));
    assert.deepEqual(mapped('u:%user:root.sales.%user', {}, { 'mapping-rule-default-queue': 'nowhere' }), rejected);
  });

  it('are refused where they lead nowhere', () => {
    for (const [rules, sentence] of [
      ['u:ada:root.sales', "Target queue 'root.sales' but it's not a leaf queue."],
      ['u:ada:root.sales.emea.deep', /parent queue 'root\.sales\.emea', but it is not a dynamic parent queue/],
      ['u:ada:root.default.%user', /'root\.default' is a leaf queue, which can have no other queues under it\.$/],
      ['u:ada:root..x', "Path segment cannot be empty 'root..x'."],
      ['u:ada:.sales', "Path segment cannot be empty '.sales'."],
      ['u:ada:root.', "Target queue 'root.' but it's not a leaf queue."],
      ['x:ada:root.default', 'unknown mapping prefix x'],
      ['u:ada', 'Illegal queue mapping u:ada'],
    ] as const) {
      assert.throws(
        () => mapped(rules),
        (error: unknown) => {
          assert.ok(error instanceof ConfigurationRefused);
          const text = error.message.replace('org.apache.hadoop.yarn.exceptions.YarnException: ', '');
          if (typeof sentence === 'string') assert.equal(text, sentence);
          else assert.match(text, sentence);
          return true;
        },
        rules,
      );
    }
  });
});

describe('mapping rules in JSON', () => {
  const rules = (...list: object[]) => ({ 'mapping-rule-format': 'json', 'mapping-rule-json': JSON.stringify({ rules: list }) });
  const all = { type: 'user', matches: '*' };

  it('choose by users, groups and names of applications', () => {
    const apac = { policy: 'custom', customPlacement: 'root.sales.apac' };
    assert.deepEqual(place(rules({ type: 'group', matches: 'ops', ...apac })), placed('root.sales.apac'));
    assert.deepEqual(place(rules({ type: 'application', matches: 'other', ...apac })), { queue: 'default' });
    assert.deepEqual(place(rules({ type: 'user', matches: 'ada', policy: 'user', parentQueue: 'root.users' })), placed('root.users.ada'));
    assert.deepEqual(place(rules({ ...all, policy: 'secondaryGroup', parentQueue: 'root.sales' })), placed('root.sales.emea'));
  });

  it('take the queue that is named, reject, or go to the default', () => {
    assert.deepEqual(
      place({ ...rules({ ...all, policy: 'specified' }), 'queue-mappings-override.enable': 'true' }, { queue: 'root.sales.emea' }),
      placed('root.sales.emea'),
    );
    assert.deepEqual(place(rules({ ...all, policy: 'reject' })), rejected);
    assert.deepEqual(
      place(rules({ ...all, policy: 'setDefaultQueue', value: 'root.sales.apac' }, { ...all, policy: 'defaultQueue' })),
      placed('root.sales.apac'),
    );
  });

  it('go on where the default queue is not there, and set it by variables', () => {
    assert.deepEqual(place({ ...rules({ ...all, policy: 'defaultQueue' }), 'mapping-rule-default-queue': 'gone' }), { queue: 'default' });
    const gone = { ...all, policy: 'setDefaultQueue', value: 'gone' };
    assert.deepEqual(place(rules(gone, { ...all, policy: 'defaultQueue', fallbackResult: 'reject' })), rejected);
    const own = { ...all, policy: 'setDefaultQueue', value: 'root.sales.%application' };
    assert.deepEqual(place(rules(own, { ...all, policy: 'defaultQueue' }), { name: 'apac' }), placed('root.sales.apac'));
  });

  it('take `default` for no named queue', () => {
    const below = { ...all, policy: 'custom', customPlacement: 'root.users.%specified', fallbackResult: 'reject' };
    for (const queue of [undefined, 'default']) assert.deepEqual(place(rules(below), { queue }), rejected);
    assert.deepEqual(place({ ...rules(below), 'queue-mappings-override.enable': 'true' }, { queue: 'x' }), placed('root.users.x'));
  });

  it('match names in which variables stand', () => {
    const apac = { policy: 'custom', customPlacement: 'root.sales.apac' };
    assert.deepEqual(place(rules({ type: 'application', matches: '%user', ...apac }), { name: 'ada' }), placed('root.sales.apac'));
    assert.deepEqual(place(rules({ type: 'user', matches: '%user', ...apac })), placed('root.sales.apac'));
    assert.deepEqual(place(rules({ type: 'user', matches: '%user', ...apac }), { user: 'ada.l' }), { queue: 'default' });
  });

  it('may be none', () => {
    for (const text of ['{}', '{"rules":[]}', ''])
      assert.deepEqual(place({ 'mapping-rule-format': 'json', 'mapping-rule-json': text }), { queue: 'default' });
    for (const text of ['null', '[]', '{"rules":null}', '{"rules":{}}'])
      assert.throws(() => place({ 'mapping-rule-format': 'json', 'mapping-rule-json': text }), /have no list "rules"/, text);
  });

  it('make queues only where they may', () => {
    const user = { ...all, policy: 'user', parentQueue: 'root.users' };
    assert.deepEqual(place(rules({ ...user, create: false }, { ...all, policy: 'defaultQueue' })), placed('root.default'));
    assert.deepEqual(place(rules(user)), placed('root.users.ada'));
  });

  for (const [rule, sentence] of [
    [{ type: 'user', matches: '*' }, 'Rule policy is undefined'],
    [{ matches: '*', policy: 'user' }, 'Rule type is undefined'],
    [{ type: 'user', policy: 'user' }, 'Match string is undefined'],
    [{ type: 'user', matches: '', policy: 'user' }, 'Match string is empty'],
    [{ type: 'moon', matches: '*', policy: 'user' }, 'Unknown type: moon'],
    [{ ...all, policy: 'moon' }, 'Unsupported policy: moon'],
    [{ ...all, policy: null }, 'Rule policy is undefined'],
    [{ ...all, type: null, policy: 'user' }, 'Rule type is undefined'],
    [{ ...all, matches: null, policy: 'user' }, 'Match string is undefined'],
    [{ ...all, policy: 'custom' }, 'custom queue is undefined'],
    [{ ...all, policy: 'custom', customPlacement: '' }, 'Queue path is empty.'],
    [{ ...all, policy: 'user', parentQueue: '' }, "Path segment cannot be empty '.%user'."],
    [{ ...all, policy: 'setDefaultQueue', value: null }, 'default queue is undefined'],
    [{ ...all, policy: 'setDefaultQueue' }, 'default queue is undefined'],
    [{ ...all, policy: 'user', fallbackResult: 'moon' }, 'Unsupported fallback rule moon'],
    [{ ...all, policy: 'user', create: 'maybe' }, '"create" is true or false, not "maybe"'],
  ] as const) {
    it(`are refused: ${sentence}`, () => {
      assert.throws(() => place(rules(rule)), new RegExp(sentence.replace(/[()?]/g, '\\$&')));
    });
  }

  it('are refused in a format there is not', () => {
    assert.throws(() => place({ 'mapping-rule-format': 'yaml' }), /Illegal queue mapping format 'yaml' please use 'legacy' or 'json'/);
    assert.throws(() => place({ 'mapping-rule-format': '' }), /Illegal queue mapping format ''/);
  });
});
