import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Simulator } from '../../conformance/simulator.ts';
import { ConfigurationRefused, type Placement } from '../../policy.ts';

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
    assert.deepEqual(place({ 'queue-mappings-by-name': '%application:root.users.%application' }), placed('root.users.nightly'));
  });

  it('go to the default queue where their own cannot be used', () => {
    assert.deepEqual(mapped('u:%user:root.sales.%user'), placed('root.default'));
    assert.deepEqual(mapped('u:%user:root.users.%primary_group', { groups: [] }), placed('root.default'));
    assert.deepEqual(mapped('u:%user:root.sales.%user', {}, { 'mapping-rule-default-queue': 'nowhere' }), rejected);
  });

  it('are refused where they lead nowhere', () => {
    for (const [rules, sentence] of [
      ['u:ada:root.sales', "Target queue 'root.sales' but it's not a leaf queue."],
      ['u:ada:root.sales.emea.deep', /parent queue 'root\.sales\.emea', but it is not a dynamic parent queue/],
      ['u:ada:root.default.%user', /'root\.default' is a leaf queue, which can have no other queues under it\.$/],
      ['u:ada:root..x', /^Illegal queue root\.\.x in a mapping rule$/],
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
    [{ ...all, policy: 'custom' }, 'custom queue is undefined'],
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
