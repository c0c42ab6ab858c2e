import { begin, end, flowApp, T, V2 } from '../kit-timeline.mjs';
import { choices } from './choices.mjs';

export default {
  name: 'timeline-v2-random',
  cluster: 'timeline-v2',
  about: 'timeline v2: entities and queries chosen at random',
  async run(c) {
    const r = choices(Number(process.env['HEDDLE_PEERS_SEED'] ?? 20262));
    const { type, user } = begin(c),
      ann = user('ann'),
      flow = type('flow');
    const app = await flowApp(c, 'app', ann, flow, T);
    const context = `userid=${ann}&flowname=${flow}&flowrunid=${T}`;
    const uid = `yarn_cluster!${ann}!${flow}!${T}!${app}`;
    const q = encodeURIComponent;
    const types = ['JOB', 'TASK', 'Ty pe'];
    const ids = ['a', 'b', 'c', 'd e', 'f!g', 'h*i', 'ü', 'j/k', 'l,m', 'n:o'];
    const infoNames = ['name', 'size', 'flag', 'a b', 'x.y', 'ü'];
    const confNames = ['color', 'io.size', 'io.mode', 'a b', 'x'];
    const metricNames = ['rows', 'bytes', 'ro', 'a.b', 'late'];
    const eventNames = ['START', 'END', 'a b', 'start', 'E-1'];
    const relTypes = ['STEP', 'PLAN', 'JOB'];
    const scalar = () => r.pick(['red', 'blue', '5', '10', '', 'a b', 'true', 'ü', 'a:b', 'x,y', '(z)', 5, 6, -3, 0, 1.5, 10, true, false]);
    const value = () => (r.chance(0.85) ? scalar() : r.pick([[1, 'a'], {}, { a: 1 }, [], 1e3, 12345678901, null]));
    const some = (names, p, make) => Object.fromEntries(r.some(names, p).map((n) => [n, make()]));
    const metric = (id) => {
      const series = r.chance(0.4);
      const at = () => T + r.int(6) * 1000;
      const points = series ? r.times(1 + r.int(4), () => [at(), r.int(50)]) : [[at(), r.int(50)]];
      return { id, type: series ? 'TIME_SERIES' : 'SINGLE_VALUE', values: Object.fromEntries(points) };
    };
    const entity = () => {
      const e = { type: r.pick(types), id: r.pick(ids) };
      if (r.chance(0.4)) e.idprefix = r.int(5);
      if (r.chance(0.7)) e.createdtime = T + r.int(8) * 1000;
      if (r.chance(0.6)) e.info = some(infoNames, 0.5, value);
      if (r.chance(0.6)) e.configs = some(confNames, 0.5, () => String(scalar()));
      if (r.chance(0.6)) e.metrics = r.some(metricNames, 0.5).map(metric);
      if (r.chance(0.5))
        e.events = r.some(eventNames, 0.4).map((id) => ({
          id,
          timestamp: T + r.int(6) * 1000,
          ...(r.chance(0.5) ? { info: some(infoNames, 0.3, () => value() ?? 'x') } : {}),
        }));
      if (r.chance(0.4))
        e.relatesto = some(relTypes, 0.5, () => [...new Set(r.times(1 + r.int(3), () => r.pick(['s1', 's2', 's 3', 'p1'])))]);
      if (r.chance(0.4))
        e.isrelatedto = some(relTypes, 0.5, () => [...new Set(r.times(1 + r.int(3), () => r.pick(['s1', 's2', 's 3', 'p1'])))]);
      return e;
    };
    const strange = (e) => {
      const key = r.pick([
        'type',
        'id',
        'idprefix',
        'createdtime',
        'info',
        'configs',
        'metrics',
        'events',
        'relatesto',
        'isrelatedto',
        'entitytype',
      ]);
      return {
        ...e,
        [key]: r.pick([
          'x',
          '',
          ' ',
          5,
          1.5,
          true,
          [],
          {},
          ['x'],
          { a: 1 },
          { a: ['b'] },
          [[]],
          [{}],
          [{ id: '' }],
          [{ id: 'x', values: { '': 5 } }],
          [{ id: 'x', type: '', values: { 5: '' } }],
          [{ id: 'x', timestamp: '' }],
          '7',
          -1,
          `${T}`,
        ]),
      };
    };
    // expressions
    const word = (names) => r.pick([...names, ...names, 'none', '']);
    const lit = () =>
      r.pick(['red', 'blue', '5', '10', '6', '1.5', 'true', 'false', '-3', '0', '"5"', '"red"', "'red'", 'a', '{"a":1}', '[1,"a"]', '']);
    const op = (ops) => r.pick(ops);
    const compare = (names, ops, make) => () => `${word(names)}${r.pick([' ', ' ', ' ', '  ', ''])}${op(ops)} ${make()}`;
    const tree = (leaf, d = 0) => {
      const k = r.int(8);
      if (d > 2 || k < 4) return leaf();
      if (k < 6) return `${tree(leaf, d + 1)} ${r.pick(['AND', 'OR', 'and', 'Or', 'AND', 'OR', 'XOR'])} ${tree(leaf, d + 1)}`;
      return `(${tree(leaf, d + 1)} ${r.pick(['AND', 'OR'])} ${tree(leaf, d + 1)})`;
    };
    const mangle = (text, more = ['(', ')', ' ', '!', ',', ':', '*']) => {
      if (!text || !r.chance(0.12)) return text;
      const at = r.int(text.length);
      return r.pick([() => text.slice(0, at) + text.slice(at + 1), () => text.slice(0, at) + r.pick(more) + text.slice(at)])();
    };
    const list = (items) => () => {
      const some = r.times(1 + r.int(2), () => r.pick(items)).join(',');
      return r.chance(0.25) ? `!(${some})` : r.chance(0.4) ? `(${some})` : some;
    };
    const relation = () =>
      `${r.pick([...relTypes, 'x'])}:${r.times(1 + r.int(2), () => r.pick(['s1', 's2', 's 3', 'p1', 'zz'])).join(':')}`;
    const relations = () => {
      const some = r.times(1 + r.int(2), relation).join(',');
      return r.chance(0.25) ? `!(${some})` : r.chance(0.4) ? `(${some})` : some;
    };
    const filters = {
      infofilters: () => mangle(tree(compare(infoNames, ['eq', 'ne', 'ene', 'EQ', 'eq', 'eq', 'gt'], lit)), [')', ' ', ',', ':', '*']),
      conffilters: () => mangle(tree(compare(confNames, ['eq', 'ne', 'ene', 'eq', 'eq', 'ge'], lit)), [')', ' ', ',', ':', '*']),
      metricfilters: () =>
        mangle(
          tree(
            compare(metricNames, ['gt', 'ge', 'lt', 'le', 'eq', 'ne', 'ene', 'GT'], () =>
              r.pick(['0', '10', '20', '30', '40', '5', 'x', '1.5', '']),
            ),
          ),
          [')', ' ', ',', ':', '*'],
        ),
      eventfilters: () => mangle(tree(list([...eventNames, 'none']))),
      relatesto: () => mangle(tree(relations)),
      isrelatedto: () => mangle(tree(relations)),
    };
    const fields = () => r.some(['ALL', 'INFO', 'CONFIGS', 'METRICS', 'EVENTS', 'RELATES_TO', 'IS_RELATED_TO', 'info', ''], 0.25).join(',');
    const retrieve = (names) => {
      const some = r.times(1 + r.int(2), () => r.pick([...names, 'r', 'io.', 'z'])).join(',');
      return mangle(r.pick([some, `(${some})`, `!(${some})`, some]));
    };
    const query = (ofType) => {
      const p = [];
      const add = (name, make, chance) => r.chance(chance) && p.push(`${name}=${q(String(make()))}`);
      if (ofType !== undefined) {
        for (const [name, make] of Object.entries(filters)) add(name, make, 0.18);
        add('limit', () => r.pick([1, 2, 3, 5, 0, -1, 'x', ' 2', '']), 0.25);
        add('createdtimestart', () => r.pick([T, T + 3000, T + 9000, 0, '']), 0.12);
        add('createdtimeend', () => r.pick([T, T + 3000, T + 9000, 0, '']), 0.12);
        // Without a condition Hadoop's pages show more than is asked for, and with all fields it fails.
        if (r.chance(0.12))
          p.push(
            `createdtimestart=${T}&fromid=${q(`${uid}!${ofType}!${r.int(5)}!${r.pick(ids).replaceAll('*', '**').replaceAll('!', '*!')}`)}`,
          );
      } else add('entityidprefix', () => r.int(5), 0.6);
      add('fields', fields, 0.6);
      add('confstoretrieve', () => retrieve(confNames), 0.12);
      add('metricstoretrieve', () => retrieve(metricNames), 0.15);
      add('metricslimit', () => r.pick([1, 2, 10, 0, -1, 'x']), 0.2);
      add('metricstimestart', () => r.pick([T + 1000, T + 3000, 0, '']), 0.1);
      add('metricstimeend', () => r.pick([T + 1000, T + 4000, '']), 0.1);
      return p.join('&');
    };
    const options = { user: ann, exact: true, unordered: ['metrics', ...relTypes, 'entities', 'events'] };
    let n = 0;
    for (let round = 0; round < 30; round++) {
      for (let i = 0; i < 4; i++)
        await c.record(`put.${n++}`, 'collector', 'PUT', `${V2}/entities?appid=${app}`, {
          user: ann,
          body: { entities: r.times(1 + r.int(3), entity).map((e) => (r.chance(0.08) ? strange(e) : e)) },
          loose: ['message'],
        });
      for (let i = 0; i < 40; i++) {
        const ofType = r.pick(types);
        await c.record(`list.${n++}`, 'reader', 'GET', `${V2}/apps/${app}/entities/${q(ofType)}?${context}&${query(ofType)}`, options);
      }
      for (let i = 0; i < 8; i++)
        await c.record(
          `one.${n++}`,
          'reader',
          'GET',
          `${V2}/apps/${app}/entities/${q(r.pick(types))}/${q(r.pick(ids))}?${context}&${query()}`,
          options,
        );
    }
    await end(c, app, ann);
  },
};
