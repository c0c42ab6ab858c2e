import { begin, T, V1 } from '../kit-timeline.mjs';
import { choices } from './choices.mjs';

export default {
  name: 'timeline-v1-random',
  cluster: 'timeline',
  about: 'timeline v1: entities, domains and queries chosen at random',
  async run(c) {
    const r = choices(Number(process.env['HEDDLE_PEERS_SEED'] ?? 20261));
    const own = begin(c);
    const users = ['ann', 'bob', 'carl', 'dan'].map((u) => own.user(u));
    const types = ['fa', 'fb', 'fc'].map((t) => own.type(t));
    const domains = ['d1', 'd2', 'd3'].map((t) => own.type(t));
    const ids = ['e1', 'e2', 'e3', 'e4', 'e5', 'e6', 'E1', 'e 7', 'e/8', 'ü9', 'e:10', 'e,11', '12', 'e%13', 'e+14'];
    const q = encodeURIComponent;
    const scalar = () =>
      r.pick([
        'x',
        'y',
        '',
        '5',
        'true',
        'a:b',
        'ü',
        ' z ',
        5,
        0,
        -1,
        6,
        1.5,
        1e3,
        2.0,
        1e-7,
        1e21,
        123456789012345,
        12345678901,
        0.1,
        true,
        false,
        'null',
        '1.0',
        'a"b',
        '<b>',
        'a,b',
      ]);
    const value = (d = 0) => {
      const k = r.int(10);
      if (k < 7 || d > 2) return scalar();
      if (k === 7) return r.times(r.int(3), () => value(d + 1));
      if (k === 8) return Object.fromEntries(r.times(r.int(3), (i) => [`k${i}`, value(d + 1)]));
      return null;
    };
    const names = ['user', 'state', 'n', 'a b', 'ü', 'a:b', 'A'];
    const info = (p = 0.5) => Object.fromEntries(r.some(names, p).map((n) => [n, value()]));
    const event = () => ({
      timestamp: T + r.int(10) * 100,
      eventtype: r.pick(['START', 'END', 'start', 'e v', 'ü', '5']),
      ...(r.chance(0.5) ? { eventinfo: info(0.3) } : {}),
    });
    const entity = () => {
      const e = { entity: r.pick(ids), entitytype: r.pick(types) };
      if (r.chance(0.7)) e.starttime = T + r.int(12) * 100;
      if (r.chance(0.5)) e.events = r.times(r.int(4), event);
      if (r.chance(0.5)) e.primaryfilters = Object.fromEntries(r.some(names, 0.4).map((n) => [n, r.times(1 + r.int(2), scalar)]));
      if (r.chance(0.5)) e.otherinfo = info(0.4);
      if (r.chance(0.25))
        e.relatedentities = Object.fromEntries(r.some(types, 0.5).map((t) => [t, r.times(1 + r.int(2), () => r.pick(ids))]));
      if (r.chance(0.2)) e.domain = r.pick([...domains, 'DEFAULT', own.type('none')]);
      return e;
    };
    const strange = (e) => {
      const key = r.pick([
        'entity',
        'entitytype',
        'starttime',
        'events',
        'primaryfilters',
        'otherinfo',
        'relatedentities',
        'domain',
        'domainid',
        'timestamp',
      ]);
      return { ...e, [key]: r.pick(['x', '', 5, 1.5, true, [], {}, ['x'], { a: 1 }, { a: ['b'] }, [[]], [{}], '7', -1, `${T}`]) };
    };
    const lists = { unordered: [...names, 'domains', 'entities-by-type', ...types] };
    for (let i = 0; i < 3; i++)
      await c.record(`domain.${i}`, 'ats', 'PUT', `${V1}/domain`, {
        user: users[i === 2 ? 1 : 0],
        body: {
          id: domains[i],
          description: `d ${i}`,
          readers: r.pick([`${users[1]}`, `${users[1]},${users[3]}`, '*', ' ']),
          writers: r.pick([`${users[2]}`, ' ', '*', `${users[2]} group`]),
        },
      });
    const list = () => {
      const p = [];
      const add = (name, make, chance) => r.chance(chance) && p.push(`${name}=${q(String(make()))}`);
      add('limit', () => r.pick([1, 2, 3, 5, 100, 0, -1, 'x', '', '1 ', '+1']), 0.4);
      add('windowStart', () => r.pick([T + r.int(12) * 100, T, 0, -1, 'x', '', ` ${T + 200}`]), 0.25);
      add('windowEnd', () => r.pick([T + r.int(12) * 100, T + 900, 0, 'x', '']), 0.25);
      add('fromId', () => r.pick(ids), 0.25);
      add('fromTs', () => r.pick([Date.now() + 1e9, 1000, T + 1e9, 'x', '']), 0.15);
      const pair = () => `${r.pick(names.filter((n) => n !== 'a:b'))}:${r.pick([JSON.stringify, String])(scalar())}`;
      add('primaryFilter', () => pair(), 0.35);
      add('secondaryFilter', () => r.times(1 + r.int(2), pair).join(','), 0.3);
      add(
        'fields',
        () =>
          r
            .some(['EVENTS', 'events', 'LastEventOnly', 'primaryfilters', 'OTHERINFO', 'relatedentities', '', 'all', ' events '], 0.25)
            .join(','),
        0.35,
      );
      return p.join('&');
    };
    let n = 0;
    const get = (kind, path, user) =>
      c.record(`${kind}.${n++}`, 'ats', 'GET', `${V1}${path}`, { user, exact: true, ...lists, loose: ['message'] });
    for (let round = 0; round < 60; round++) {
      for (let i = 0; i < 4; i++) {
        const entities = r.times(1 + r.int(3), entity).map((e) => (r.chance(0.12) ? strange(e) : e));
        await c.record(`post.${n++}`, 'ats', 'POST', V1, {
          user: r.chance(0.7) ? users[0] : r.pick([...users, 'root']),
          body: { entities },
          loose: ['message'],
          unordered: ['errors'],
        });
      }
      for (let i = 0; i < 14; i++) await get('list', `/${q(r.pick(types))}?${list()}`, r.pick([...users, 'root', undefined]));
      for (let i = 0; i < 8; i++)
        await get(
          'one',
          `/${q(r.pick(types))}/${q(r.pick(ids))}${r.chance(0.3) ? `?fields=${q(r.some(['EVENTS', 'lasteventonly', 'primaryfilters', 'OTHERINFO', 'relatedentities'], 0.4).join(','))}` : ''}`,
          r.pick([...users, 'root', undefined]),
        );
      for (let i = 0; i < 6; i++) {
        const p = [`entityId=${r.times(1 + r.int(3), () => q(r.pick(ids))).join(',')}`];
        if (r.chance(0.4)) p.push(`eventType=${r.times(1 + r.int(2), () => q(r.pick(['START', 'END', 'start', 'e v', '5']))).join(',')}`);
        if (r.chance(0.3)) p.push(`limit=${r.pick([1, 2, 0, -1, 'x', ''])}`);
        if (r.chance(0.3)) p.push(`windowStart=${r.pick([T + r.int(10) * 100, 'x', ''])}`);
        if (r.chance(0.3)) p.push(`windowEnd=${r.pick([T + r.int(10) * 100, 'x', ''])}`);
        await get('events', `/${q(r.pick(types))}/events?${p.join('&')}`, r.pick([...users, 'root', undefined]));
      }
      if (r.chance(0.3))
        await c.record(`domain-put.${n++}`, 'ats', 'PUT', `${V1}/domain`, {
          user: r.pick(users),
          body: {
            id: r.pick(domains),
            ...(r.chance(0.5) ? { description: r.pick(['x', '', 'ü']) } : {}),
            readers: r.pick([users[1], '*', ' ', `${users[3]},x y,z`, ` ${users[2]}`]),
            writers: r.pick([users[2], '*', ' ', `${users[2]} g`]),
            ...(r.chance(0.2) ? { owner: r.pick(users) } : {}),
          },
          loose: ['message'],
        });
      if (r.chance(0.4))
        await c.record(`domain-get.${n++}`, 'ats', 'GET', `${V1}/domain/${q(r.pick(domains))}`, {
          user: r.pick([...users, 'root', undefined]),
        });
      if (r.chance(0.4))
        await c.record(`domains.${n++}`, 'ats', 'GET', `${V1}/domain?owner=${r.pick(users)}`, {
          user: r.pick([...users, 'root', undefined]),
          ...lists,
        });
    }
  },
};
