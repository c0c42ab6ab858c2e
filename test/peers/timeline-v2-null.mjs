import { begin, end, flowApp, T, V2 } from '../kit-timeline.mjs';
export default {
  name: 'timeline-v2-null',
  cluster: 'timeline-v2',
  about: 'null members, merging events, retrieval',
  async run(c) {
    const { type, user } = begin(c),
      ann = user('ann'),
      flow = type('flow');
    const app = await flowApp(c, 'app', ann, flow, T),
      context = `userid=${ann}&flowname=${flow}&flowrunid=${T}`;
    const put = (id, body) => c.record(id, 'collector', 'PUT', `${V2}/entities?appid=${app}`, { user: ann, body, loose: ['message'] });
    const get = (id, path) => c.record(id, 'reader', 'GET', `${V2}${path}`, { user: ann, exact: true, unordered: ['metrics'] });
    const odd = async (id, e) => {
      await put(`put-${id}`, { entities: [{ type: 'ODD', id, idprefix: 1, createdtime: T + 1, ...e }] });
      await get(`odd-${id}`, `/apps/${app}/entities/ODD/${id}?${context}&fields=ALL&metricslimit=10`);
    };
    for (const m of ['info', 'configs', 'metrics', 'events', 'relatesto', 'isrelatedto', 'type', 'id', 'idprefix'])
      await odd(`null${m}`, { [m]: null });
    await odd('nullevent', { events: [null] });
    await odd('nullmetric', { metrics: [null] });
    await odd('metricnoid', { metrics: [{ values: { [T]: 1 } }] });
    await odd('metricnovalues', { metrics: [{ id: 'm' }] });
    await odd('metricnullvalues', { metrics: [{ id: 'm', values: null }] });
    await odd('metrictwice', {
      metrics: [
        { id: 'm', values: { [T]: 1 } },
        { id: 'm', values: { [T]: 2 } },
      ],
    });
    await odd('metrictwo', {
      metrics: [
        { id: 'm', values: { [T]: 1 } },
        { id: 'n', values: { [T]: 2 } },
      ],
    });
    await odd('metricone', { metrics: [{ id: 'm', values: { [T]: 1.0 } }] });
    await put('raw-double', `{"entities":[{"type":"ODD","id":"raw","metrics":[{"id":"m","values":{"${T}":1.0}}]}]}`);
    await get('raw-double-after', `/apps/${app}/entities/ODD/raw?${context}&fields=ALL`);
    await put('raw-big', `{"entities":[{"type":"ODD","id":"rawbig","metrics":[{"id":"m","values":{"${T}":12345678901234567890123}}]}]}`);
    await get('raw-big-after', `/apps/${app}/entities/ODD/rawbig?${context}&fields=ALL`);
    await odd('eventbatch', { events: [{ id: 'A', timestamp: T + 1 }, { timestamp: T + 1 }] });
    await odd('eventtime', { events: [{ id: 'A', timestamp: -5 }] });
    await odd('event', { events: [{ id: 'E', timestamp: T, info: { a: 1, b: 1 } }] });
    await odd('event2', { events: [{ id: 'E', timestamp: T, info: { a: 1, b: 1 } }] });
    await put('event-again', {
      entities: [{ type: 'ODD', id: 'event', idprefix: 1, events: [{ id: 'E', timestamp: T, info: { b: 2, c: 3 } }] }],
    });
    await get('event-again-after', `/apps/${app}/entities/ODD/event?${context}&fields=ALL`);
    await put('event-none', { entities: [{ type: 'ODD', id: 'event2', idprefix: 1, events: [{ id: 'E', timestamp: T }] }] });
    await get('event-none-after', `/apps/${app}/entities/ODD/event2?${context}&fields=ALL`);
    await odd('many', {
      configs: { a: '1', b: '2' },
      metrics: [
        { id: 'x', values: { [T]: 1 } },
        { id: 'y', values: { [T]: 2 } },
      ],
      info: { i: 1 },
      events: [{ id: 'E', timestamp: T }],
      relatesto: { A: ['1'] },
    });
    for (const [i, q] of [
      'fields=ALL&confstoretrieve=a',
      'fields=ALL&metricstoretrieve=x',
      'fields=ALL,CONFIGS&metricstoretrieve=x',
      'fields=CONFIGS,METRICS&metricstoretrieve=x',
      'fields=CONFIGS&metricstoretrieve=x',
      'fields=METRICS&confstoretrieve=a',
      'fields=ALL&confstoretrieve=()',
      'fields=ALL&confstoretrieve=a&metricstoretrieve=x',
      'fields=INFO,EVENTS&confstoretrieve=a',
      'fields=ALL&metricstoretrieve=!(x)',
      'fields=METRICS&metricstoretrieve=zz',
      'metricstoretrieve=,x',
      'metricstoretrieve=%20',
      'confstoretrieve=a%20,%20b',
      'metricstoretrieve=!%20(x)',
      'metricstoretrieve=!(x',
      'fields=%20x',
      'fields=info,%20y%20',
    ].entries()) {
      await get(`one-${i}`, `/apps/${app}/entities/ODD/many?${context}&${q}`);
      await get(`list-${i}`, `/apps/${app}/entities/ODD?${context}&infofilters=i%20eq%201&${q}`);
    }
    for (const [i, f] of ['(E)', '(E,)', '(,E)', '(E,,E)', 'E,', '(E) AND ()', '!(E,)', 'E,F', '(E)AND(E)', '( E )', '!( E )'].entries())
      await get(`event-filter-${i}`, `/apps/${app}/entities/ODD?${context}&infofilters=i%20eq%201&eventfilters=${encodeURIComponent(f)}`);
    await end(c, app, ann);
  },
};
