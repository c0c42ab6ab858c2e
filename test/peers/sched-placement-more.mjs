// Where applications land under mapping rules of both forms that no recording has: users, groups, names, parents, creation, fallbacks, and rules that are refused.
import { clear, get, RM } from '../kit-scheduler.mjs';

const C = 'yarn.scheduler.capacity';
const legacyRules = [
  'u:ada:root.users',
  'u:ada:users',
  'u:%user:root.flex.%user',
  'u:%user:root.legacy.%user',
  'u:%user:%user',
  'u:%user:users',
  'u:%user:%primary_group',
  'u:%user:root.flex.%primary_group',
  'u:%user:%primary_group.%user',
  'u:%user:root.flex.%primary_group.%user',
  'u:%user:%secondary_group',
  'u:%user:root.flex.%secondary_group.%user',
  'g:daemon:root.users',
  'g:daemon:root.flex.%user',
  'g:games:users,u:%user:root.flex.%user',
  'g:daemon,games:users',
  'u:ada:root.users,u:ada:root.one',
  ' u:ada:root.users , u:bob:root.one ',
  'u:ada:nowhere',
  'u:ada:root.nowhere',
  'u:ada:root.nowhere.%user',
  'u:ada:root.flex',
  'u:ada:root.off',
  'u:ada:root.off,u:%user:users',
  'u:ada:heavy',
  'u:ada:root.both.heavy',
  'u:ada:default',
  'u:%user:root.users.%user',
  'u:*:root.users',
  'u:ada*:root.users',
  'u::root.users',
  'u:ada:',
  'u:ada',
  'ada:root.users',
  'x:ada:root.users',
  'U:ada:root.users',
  'u:ada:root.users:more',
  'u:ada:root',
  'u:ada:root.',
  'u:ada:.users',
  'u:%application:root.users',
  'u:%user:root.flex.%application',
  'g:%application:users',
  'g:%user:users',
  'u:ada:%user',
  'u:ada:%nothing',
  '',
  ',',
];
const user = (more) => ({ type: 'user', matches: '*', ...more });
const jsonRules = [
  [user({ policy: 'user', parentQueue: 'root.flex', create: true })],
  [user({ policy: 'user', parentQueue: 'root.flex', create: false, fallbackResult: 'reject' })],
  [user({ policy: 'user', parentQueue: 'root.flex', create: false, fallbackResult: 'placeDefault' })],
  [user({ policy: 'user', parentQueue: 'root.flex', create: false, fallbackResult: 'skip' })],
  [user({ policy: 'user', parentQueue: 'root.flex' })],
  [user({ policy: 'user' })],
  [user({ policy: 'user', create: true })],
  [user({ policy: 'user', parentQueue: 'root.legacy', create: true })],
  [user({ policy: 'user', parentQueue: 'root.users', create: true, fallbackResult: 'reject' })],
  [user({ policy: 'user', parentQueue: 'root.nowhere', create: true, fallbackResult: 'reject' })],
  [user({ policy: 'user', parentQueue: 'flex', create: true, fallbackResult: 'reject' })],
  [user({ policy: 'user', parentQueue: 'root.flex.%primary_group', create: true, fallbackResult: 'reject' })],
  [user({ policy: 'primaryGroup', parentQueue: 'root.flex', create: true, fallbackResult: 'reject' })],
  [user({ policy: 'primaryGroup', fallbackResult: 'reject' })],
  [user({ policy: 'primaryGroupUser', parentQueue: 'root.flex', create: true, fallbackResult: 'reject' })],
  [user({ policy: 'secondaryGroup', parentQueue: 'root.flex', create: true, fallbackResult: 'reject' })],
  [user({ policy: 'secondaryGroupUser', parentQueue: 'root.flex', create: true, fallbackResult: 'reject' })],
  [user({ policy: 'specified' })],
  [user({ policy: 'specified', create: true })],
  [user({ policy: 'specified', create: true, fallbackResult: 'reject' })],
  [user({ policy: 'specified', parentQueue: 'root.flex', create: true, fallbackResult: 'reject' })],
  [user({ policy: 'specified', fallbackResult: 'placeDefault' })],
  [user({ policy: 'defaultQueue' })],
  [user({ policy: 'defaultQueue', fallbackResult: 'reject' })],
  [user({ policy: 'setDefaultQueue', value: 'root.users' }), user({ policy: 'defaultQueue' })],
  [user({ policy: 'setDefaultQueue', value: 'root.nowhere' }), user({ policy: 'defaultQueue', fallbackResult: 'reject' })],
  [
    user({ policy: 'setDefaultQueue', value: 'root.users' }),
    user({ policy: 'user', parentQueue: 'root.nowhere', fallbackResult: 'placeDefault' }),
  ],
  [user({ policy: 'applicationName', parentQueue: 'root.flex', create: true, fallbackResult: 'reject' })],
  [user({ policy: 'applicationName', fallbackResult: 'placeDefault' })],
  [user({ policy: 'reject' })],
  [{ type: 'user', matches: 'ada', policy: 'reject' }],
  [{ type: 'user', matches: 'ada', policy: 'custom', customPlacement: 'root.flex.%user', create: true }],
  [user({ policy: 'custom', customPlacement: 'root.flex.%user', create: true, fallbackResult: 'reject' })],
  [user({ policy: 'custom', customPlacement: 'root.flex.%application', create: true, fallbackResult: 'reject' })],
  [user({ policy: 'custom', customPlacement: 'root.flex.%specified', create: true, fallbackResult: 'reject' })],
  [user({ policy: 'custom', customPlacement: '%specified', create: true, fallbackResult: 'reject' })],
  [user({ policy: 'custom', customPlacement: '%default', fallbackResult: 'reject' })],
  [user({ policy: 'custom', customPlacement: 'root.flex.%nothing', create: true, fallbackResult: 'reject' })],
  [user({ policy: 'custom', customPlacement: 'users', fallbackResult: 'reject' })],
  [user({ policy: 'custom', customPlacement: 'root.%primary_group.%user', create: true, fallbackResult: 'reject' })],
  [user({ policy: 'custom', customPlacement: 'heavy', fallbackResult: 'reject' })],
  [user({ policy: 'custom', customPlacement: 'root.flex', create: true, fallbackResult: 'reject' })],
  [
    user({ policy: 'custom', customPlacement: 'root.off', fallbackResult: 'skip' }),
    user({ policy: 'custom', customPlacement: 'root.users' }),
  ],
  [user({ policy: 'custom', fallbackResult: 'reject' })],
  [{ type: 'group', matches: 'daemon', policy: 'custom', customPlacement: 'root.users' }],
  [{ type: 'group', matches: '*', policy: 'custom', customPlacement: 'root.users' }],
  [{ type: 'group', matches: 'daemon', policy: 'primaryGroupUser', parentQueue: 'root.flex', create: true }, user({ policy: 'reject' })],
  [{ type: 'application', matches: 'spark', policy: 'custom', customPlacement: 'root.users' }],
  [{ type: 'application', matches: '*', policy: 'applicationName', parentQueue: 'root.flex', create: true }],
  [{ type: 'application', matches: '%user', policy: 'custom', customPlacement: 'root.users' }],
  [
    { type: 'user', matches: 'ada', policy: 'custom', customPlacement: 'root.users' },
    { type: 'user', matches: 'bob', policy: 'custom', customPlacement: 'root.one' },
    user({ policy: 'user', parentQueue: 'root.flex', create: true }),
  ],
  [{ type: 'user', matches: '%user', policy: 'custom', customPlacement: 'root.users' }],
  [{ type: 'user', matches: 'ada,bob', policy: 'custom', customPlacement: 'root.users' }],
  [],
];
const refused = [
  '',
  '{',
  '[]',
  '{}',
  'null',
  '{"rules":null}',
  '{"rules":{}}',
  '{"rules":[{}]}',
  '{"rules":[{"type":"user"}]}',
  '{"rules":[{"type":"user","matches":"*"}]}',
  '{"rules":[{"type":"user","policy":"user"}]}',
  '{"rules":[{"type":"User","matches":"*","policy":"user"}]}',
  '{"rules":[{"type":"user","matches":"*","policy":"USER"}]}',
  '{"rules":[{"type":"user","matches":"*","policy":"nothing"}]}',
  '{"rules":[{"type":"nothing","matches":"*","policy":"user"}]}',
  '{"rules":[{"type":"user","matches":"*","policy":"user","fallbackResult":"x"}]}',
  '{"rules":[{"type":"user","matches":"*","policy":"user","fallbackResult":"SKIP"}]}',
  '{"rules":[{"type":"user","matches":"*","policy":"user","create":"yes"}]}',
  '{"rules":[{"type":"user","matches":"*","policy":"user","create":"true","parentQueue":"root.flex"}]}',
  '{"rules":[{"type":"user","matches":"*","policy":"user","more":1}]}',
  '{"more":1,"rules":[]}',
  '{"rules":[{"type":"user","matches":1,"policy":"user"}]}',
  '{"rules":[{"type":"user","matches":"","policy":"user"}]}',
  '{"rules":[{"type":"user","matches":null,"policy":"user"}]}',
  '{"rules":[{"type":"user","matches":"*","policy":"setDefaultQueue"}]}',
  '{"rules":[{"type":"user","matches":"*","policy":"setDefaultQueue","value":""}]}',
  '{"rules":[{"type":"user","matches":"*","policy":"custom"}]}',
  '{"rules":[{"type":"user","matches":"*","policy":"custom","customPlacement":""}]}',
  '{"rules":[{"type":"group","matches":"a","policy":"user","parentQueue":""}]}',
  '{"rules":[{"type":"user","matches":"*","policy":"user","parentQueue":"root.users"}]}',
  '{"rules":[{"type":"user","matches":"*","policy":"user","parentQueue":"root.nowhere"}]}',
  '{"rules":[{"type":"user","matches":"*","policy":"custom","customPlacement":"root.nowhere"}]}',
  '{"rules":[{"type":"user","matches":"*","policy":"custom","customPlacement":"root.nowhere.%user"}]}',
  '{"rules":[{"type":"user","matches":"*","policy":"custom","customPlacement":"root.users.%user"}]}',
  '{"rules":[{"type":"user","matches":"*","policy":"custom","customPlacement":"root.users.x"}]}',
  '{"rules":[{"type":"user","matches":"*","policy":"custom","customPlacement":"nowhere"}]}',
  '{"rules":[{"type":"user","matches":"*","policy":"custom","customPlacement":"z.b"}]}',
  '{"rules":[{"type":"user","matches":"*","policy":"custom","customPlacement":"root"}]}',
  '{"rules":[{"type":"user","matches":"*","policy":"custom","customPlacement":"heavy"}]}',
];
/** What tells where an application landed, or why not. */
const where = ({ app, RemoteException }) =>
  RemoteException?.message.replace(/application_\d+_\d+/g, 'ID') ?? [
    app.queue,
    app.state,
    app.state === 'ACCEPTED' ? '' : app.diagnostics.replace(/^\[[^\]]*\d{4}\] /, '').replace(/application_\d+_\d+/g, 'ID'),
  ];

export default {
  name: 'sched-placement-more',
  cluster: 'capacity-limits',
  fresh: true,
  about: 'mapping rules of both forms that no recording has, and where applications land under them',
  async run(c) {
    c.mask(/application_\d+_\d+/g, 'ID');
    await clear(c);
    const put = (values) =>
      c.http('rm', 'PUT', `${RM}/scheduler-conf`, {
        user: 'root',
        body: { 'global-updates': { entry: Object.entries(values).map(([key, value]) => ({ key: `${C}.${key}`, value })) } },
      });
    const setUp = async (id, values) => {
      const { status, text } = await put(values);
      await c.record(`${id}.set`, 'rm', 'GET', `${RM}/scheduler-conf`, {
        user: 'root',
        pick: (j) => [
          status,
          status === 200 ? '' : text,
          Object.keys(values).map((key) => j.property.find((p) => p.name === `${C}.${key}`)?.value),
        ],
      });
      return status === 200;
    };
    const place = async (id, who, { queue, name = 'spark', ...more } = {}) => {
      const { json } = await c.http('rm', 'POST', `${RM}/apps/new-application`, { user: who });
      const app = json['application-id'];
      const answer = await c.http('rm', 'POST', `${RM}/apps`, {
        user: who,
        body: {
          'application-id': app,
          'application-name': name,
          ...(queue === undefined ? {} : { queue }),
          'unmanaged-AM': true,
          resource: { memory: 128, vCores: 1 },
          'am-container-spec': { commands: { command: 'x' } },
          ...more,
        },
      });
      if (answer.status === 202)
        await c.until(
          `${id} placed`,
          async () => ['ACCEPTED', 'FAILED', 'KILLED'].includes((await get(c, `/apps/${app}`)).app.state),
          20,
          50,
        );
      await c.record(id, 'rm', 'GET', `${RM}/apps/${app}`, {
        user: 'root',
        pick: (j) => [answer.status, answer.status === 202 ? '' : answer.text, where(j)],
      });
      if (answer.status === 202) await c.http('rm', 'PUT', `${RM}/apps/${app}/state`, { user: 'root', body: { state: 'KILLED' } });
    };
    const all = async (id) => {
      await place(`${id}.ada`, 'ada');
      await place(`${id}.ada-one`, 'ada', { queue: 'root.one' });
      await place(`${id}.ada-default`, 'ada', { queue: 'default' });
      await place(`${id}.ada-new`, 'ada', { queue: 'root.flex.fresh', name: 'other' });
      await place(`${id}.daemon`, 'daemon', { name: 'a.b' });
      await place(`${id}.bob`, 'bob', { queue: 'heavy', name: 'fresh name' });
      await place(`${id}.dotted`, 'a.b');
      await place(`${id}.postgres`, 'postgres', { queue: 'nowhere', name: '' });
    };
    const tree = (id) =>
      c.record(id, 'rm', 'GET', `${RM}/scheduler`, {
        pick: (j) => {
          const names = [];
          const walk = (q) => {
            names.push(q.queuePath);
            for (const child of q.queues?.queue ?? []) walk(child);
          };
          walk(j.scheduler.schedulerInfo);
          return names.sort();
        },
      });
    for (const [n, rules] of legacyRules.entries()) if (await setUp(`legacy.${n}`, { 'queue-mappings': rules })) await all(`legacy.${n}`);
    await tree('legacy-tree');
    for (const override of ['true', 'TRUE', 'x'])
      if (
        await setUp(`override.${override}`, {
          'queue-mappings': 'u:ada:root.users,u:bob:root.nowhere,g:daemon:root.one',
          'queue-mappings-override.enable': override,
        })
      )
        await all(`override.${override}`);
    await setUp('override.off', { 'queue-mappings-override.enable': 'false', 'queue-mappings': '' });
    for (const [n, text] of refused.entries()) await setUp(`refused.${n}`, { 'mapping-rule-format': 'json', 'mapping-rule-json': text });
    for (const [n, format] of ['JSON', 'x', '', 'legacy'].entries())
      await setUp(`format.${n}`, { 'mapping-rule-format': format, 'mapping-rule-json': '{"rules":[]}' });
    for (const [n, rules] of jsonRules.entries())
      if (await setUp(`json.${n}`, { 'mapping-rule-format': 'json', 'mapping-rule-json': JSON.stringify({ rules }) }))
        await all(`json.${n}`);
    await tree('json-tree');
    if (
      await setUp('json-override', {
        'mapping-rule-format': 'json',
        'mapping-rule-json': JSON.stringify({ rules: [user({ policy: 'custom', customPlacement: 'root.users' })] }),
        'queue-mappings-override.enable': 'true',
      })
    )
      await all('json-override');
    await setUp('end', { 'mapping-rule-format': 'legacy', 'queue-mappings': '', 'queue-mappings-override.enable': 'false' });
    for (const [n, queue] of [
      'root.flex.a.b',
      'root.flex.a.b.c',
      'root.flex.a',
      'flex.named',
      'root.flex..x',
      'root.flex.',
      '.root.flex.x',
      'root.flex.x y',
      'root.flex.%user',
      'root.legacy.x',
      'root.legacy.x.y',
      'legacy.z',
      'root.nowhere.x',
      'root.users.x',
      'root',
      'ROOT.users',
      ' users',
      'users ',
      'root.both.heavy',
      'heavy',
      'fairly',
      'root.flex.heavy',
      '%user',
      '',
      'root.flex.ü',
      'root.off',
      'off',
      'root.count',
      'a',
      'x y',
    ].entries())
      await place(`named.${n}`, 'ada', { queue });
    await tree('named-tree');
    await clear(c);
  },
};
