// Decisions of the capacity scheduler under limits: placement rules, templates, priorities, users, moves between limited queues.
import { appFacts, clear, facts, get, kill, launched, queueOf, RM, settled, sleeper, steady } from '../kit-scheduler.mjs';
import { mustReset, queueView, withEntries } from './conf-steps.mjs';

export default {
  name: 'sched-limits-more',
  cluster: 'capacity-limits',
  fresh: true,
  about: 'limits, placement and moves in other orders and amounts',
  async run(c) {
    await clear(c);
    const queue = async (id, ...paths) => {
      await steady(c);
      await c.record(id, 'rm', 'GET', `${RM}/scheduler`, { pick: (j) => paths.map((path) => queueView(queueOf(j, path))) });
      await c.record(`${id}.facts`, 'rm', 'GET', `${RM}/scheduler`, { pick: facts(...paths) });
    };
    const app = (id, of) => c.record(id, 'rm', 'GET', `${RM}/apps/${of}`, { user: 'root', pick: appFacts });
    const submit = async (id, queueName, user, more = {}) => {
      const { json } = await c.http('rm', 'POST', `${RM}/apps/new-application`, { user });
      const a = c.name(id, json['application-id']);
      c.name(`${id}.n`, a.slice(12));
      await c.record(`${id}.submit`, 'rm', 'POST', `${RM}/apps`, {
        user,
        body: {
          'application-id': a,
          'application-name': id,
          ...(queueName === undefined ? {} : { queue: queueName }),
          resource: { memory: 128, vCores: 1 },
          'max-app-attempts': 1,
          'am-container-spec': { commands: { command: 'sleep 600' } },
          ...more,
        },
      });
      if ((await get(c, `/apps/${a}`)).app) {
        await settled(c, a);
        await app(`${id}.app`, a);
      }
      return a;
    };
    const names = [
      '',
      'default',
      'root',
      'users',
      'root.users',
      'root.flex',
      'flex',
      'root.flex.a',
      'root.flex.a.b',
      'root.flex.a.b.c',
      'root.flex.heavy',
      'root.flex.heavy.x',
      'root.both.heavy',
      'heavy',
      'both',
      'fairly',
      'root.legacy',
      'legacy',
      'root.legacy.x',
      'root.legacy.ada',
      'root.legacy.x.y',
      'root.off',
      'off',
      'root.new',
      'new',
      'root.am.x',
      'ada',
      'root.legacy.bob',
      ' root.users',
      'root.users ',
      'Users',
      'root..users',
      'root.flex.',
      'root.flex.a b',
      'root.flex.ü',
      'root.flex.a/b',
    ];
    for (const [n, name] of names.entries()) {
      const a = await submit(`place.${n}`, name, 'ada');
      await kill(c, a);
    }
    await clear(c);
    await queue('placed', 'root', 'root.flex', 'root.legacy');
    for (const user of ['carl', 'dora', 'off', 'a.b', 'A', 'ü', 'x y', 'eve@REALM'])
      await kill(c, await submit(`mapped.${user}`, undefined, user));
    await clear(c);
    const path = `${RM}/scheduler-conf`;
    const rules = {
      0: 'u:ada:root.users',
      1: 'u:%user:root.flex.%user',
      2: 'g:root:root.users',
      3: 'u:%user:%primary_group',
      4: 'u:%user:root.flex.%primary_group.%user',
      5: 'u:ada:root.off',
      6: 'u:ada:root.nowhere',
      7: 'u:bob:root.users',
      8: 'u:%user:root.flex.%secondary_group',
      9: 'u:ada:root.flex',
      10: 'u:ada:root.flex.deep.er',
      11: 'u:ada:root.both.heavy,u:ada:root.users',
      12: 'u:ada:heavy',
      13: 'u:%user:root.legacy',
    };
    for (const [n, value] of Object.entries(rules))
      for (const override of ['false', 'true']) {
        const { status } = await c.record(`rule.${n}.${override}`, 'rm', 'PUT', path, {
          user: 'root',
          body: {
            'global-updates': withEntries([
              ['yarn.scheduler.capacity.queue-mappings', value],
              ['yarn.scheduler.capacity.queue-mappings-override.enable', override],
            ]),
          },
        });
        if (status !== 200) continue;
        await kill(c, await submit(`rule.${n}.${override}.none`, undefined, 'ada'));
        await kill(c, await submit(`rule.${n}.${override}.named`, 'root.life', 'ada'));
      }
    const json = (...list) => JSON.stringify({ rules: list });
    const rule = (more) => ({ type: 'user', matches: '*', policy: 'specified', fallbackResult: 'skip', ...more });
    for (const [n, value] of [
      json(rule({})),
      json(rule({ policy: 'user', parentQueue: 'root.flex', create: true })),
      json(rule({ policy: 'user', parentQueue: 'root.flex', create: false }), rule({ policy: 'defaultQueue' })),
      json(rule({ policy: 'custom', customPlacement: 'root.users' })),
      json(rule({ policy: 'custom', customPlacement: 'root.flex.%user', create: true })),
      json(rule({ policy: 'custom', customPlacement: 'root.nowhere', fallbackResult: 'reject' })),
      json(rule({ policy: 'custom', customPlacement: 'root.nowhere', fallbackResult: 'placeDefault' })),
      json(rule({ policy: 'reject' })),
      json(rule({ policy: 'setDefaultQueue', value: 'root.users' }), rule({ policy: 'defaultQueue' })),
      json(rule({ policy: 'applicationName', parentQueue: 'root.both' })),
      json(
        rule({ type: 'application', matches: 'special', policy: 'custom', customPlacement: 'root.life' }),
        rule({ policy: 'custom', customPlacement: 'root.users' }),
      ),
      json(rule({ type: 'group', matches: 'root', policy: 'custom', customPlacement: 'root.users' })),
      json(rule({ policy: 'primaryGroup', parentQueue: 'root.flex', create: true })),
      json(rule({ policy: 'primaryGroupUser', parentQueue: 'root.flex', create: true })),
      json(rule({ policy: 'x' })),
      json(rule({ type: 'x' })),
      json(rule({ matches: undefined })),
      json({}),
      '{"rules":5}',
      '[]',
      json(rule({ unknown: 1 })),
      json(rule({ fallbackResult: 'x' })),
      json(rule({ policy: 'custom' })),
      json(rule({ parentQueue: 'root.nowhere', policy: 'user' })),
    ].entries()) {
      const { status } = await c.record(`json.${n}`, 'rm', 'PUT', path, {
        user: 'root',
        body: {
          'global-updates': withEntries([
            ['yarn.scheduler.capacity.mapping-rule-format', 'json'],
            ['yarn.scheduler.capacity.mapping-rule-json', value],
          ]),
        },
        mask: [[/(Failed to re-init queues : )(?:(?!\n)[\s\S]){120,}[\s\S]*/, '$1long']],
      });
      if (status !== 200) continue;
      await kill(c, await submit(`json.${n}.none`, undefined, 'ada'));
      await kill(c, await submit(`json.${n}.named`, 'root.life', 'ada'));
      await kill(c, await submit(`json.${n}.special`, undefined, 'ada', { 'application-name': 'special' }));
    }
    await clear(c);
    await mustReset(c);
    // moves between queues with limits
    const m = await submit('m', 'root.users', 'ada', { resource: { memory: 1024, vCores: 1 } });
    for (const target of [
      'root.am',
      'root.count',
      'root.one',
      'root.prio',
      'root.off',
      'root.life',
      'root.flex',
      'root.flex.heavy',
      'root.legacy',
      'root.legacy.q',
      'root.both.fairly',
      'heavy',
      'root.flex.newone',
      'root.users',
    ]) {
      await c.record(`move.${target}`, 'rm', 'PUT', `${RM}/apps/${m}/queue`, { user: 'root', body: { queue: target } });
      await app(`move.${target}.app`, m);
    }
    await queue('after-moves', 'root.users', 'root.am', 'root.count', 'root.both.fairly');
    for (const n of [1, 2, 3]) await submit(`full${n}`, 'root.count', ['ada', 'bob', 'eve'][n - 1]);
    await c.record('move-full', 'rm', 'PUT', `${RM}/apps/${m}/queue`, { user: 'root', body: { queue: 'root.count' } });
    await c.record('move-parallel', 'rm', 'PUT', `${RM}/apps/${c.value('full1')}/queue`, { user: 'root', body: { queue: 'root.one' } });
    await c.record('move-parallel-second', 'rm', 'PUT', `${RM}/apps/${c.value('full2')}/queue`, {
      user: 'root',
      body: { queue: 'root.one' },
    });
    await app('move-parallel-second.app', c.value('full2'));
    await queue('parallel', 'root.one', 'root.count');
    await clear(c);
    // priorities
    for (const [n, [user, priority]] of [
      ['ada', undefined],
      ['ada', 8],
      ['ada', 9],
      ['ada', -1],
      ['bob', undefined],
      ['bob', 4],
      ['bob', 5],
      ['zoe', undefined],
      ['zoe', 0],
      ['zoe', 1],
      ['root', 10],
      ['root', 11],
      ['admin', 3],
    ].entries()) {
      const a = await submit(`priority.${n}`, 'root.prio', user, priority === undefined ? {} : { priority });
      await c.record(`priority.${n}.raise`, 'rm', 'PUT', `${RM}/apps/${a}/priority`, { user, body: { priority: 6 } });
      await c.record(`priority.${n}.get`, 'rm', 'GET', `${RM}/apps/${a}/priority`, { user: 'root' });
      await kill(c, a);
    }
    await clear(c);
    // lifetimes
    for (const [n, value] of [10, 60, 61, 0, -1].entries()) {
      const a = await submit(`life.${n}`, 'root.life', 'ada', { 'application-timeouts': { entry: [{ key: 'LIFETIME', value }] } });
      await c.record(`life.${n}.timeouts`, 'rm', 'GET', `${RM}/apps/${a}/timeouts`, {
        user: 'root',
        mask: [[/\d{4}-\d\d-\d\dT[\d:.+]+/g, 'TIME']],
        loose: ['remainingTimeInSeconds'],
      });
      await kill(c, a);
    }
    await clear(c);
    // the fair order of a queue, users of several weights
    for (const [n, [user, memory]] of [
      ['ada', 512],
      ['bob', 256],
      ['eve', 512],
      ['ada', 256],
      ['eve', 1024],
    ].entries())
      await submit(`fairly.${n}`, 'root.both.fairly', user, { resource: { memory, vCores: 1 } });
    await queue('fairly', 'root.both', 'root.both.fairly', 'root.both.heavy');
    for (const [n, [user, memory]] of [
      ['ada', 2048],
      ['eve', 2048],
      ['eve', 2048],
      ['bob', 1024],
      ['ada', 1024],
      ['zoe', 512],
    ].entries())
      await submit(`users.${n}`, 'root.users', user, { resource: { memory, vCores: 1 } });
    await queue('users', 'root', 'root.users');
    await c.record('table', 'rm', 'GET', `${RM}/apps?states=ACCEPTED`, {
      user: 'root',
      pick: ({ apps }) =>
        (apps.app ?? []).map((a) => [a.name, a.user, a.queue, a.allocatedMB, a.queueUsagePercentage, a.clusterUsagePercentage]).sort(),
    });
    for (const [key, value] of [
      ['minimum-user-limit-percent', '50'],
      ['user-limit-factor', '0.5'],
      ['user-limit-factor', '-1'],
      ['maximum-capacity', '20'],
      ['maximum-am-resource-percent', '0.1'],
      ['max-parallel-apps', '2'],
      ['maximum-applications', '2'],
      ['state', 'STOPPED'],
      ['user-settings.eve.weight', '0.5'],
    ]) {
      await c.record(`changed.${key}.${value}`, 'rm', 'PUT', path, {
        user: 'root',
        body: { 'update-queue': { 'queue-name': 'root.users', params: withEntries([[key, value]]) } },
      });
      await c.sleep(1200);
      await queue(`changed.${key}.${value}.queue`, 'root.users');
      await mustReset(c);
    }
    await clear(c);
    void launched;
    void sleeper;
  },
};
