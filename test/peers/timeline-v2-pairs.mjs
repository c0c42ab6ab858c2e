import { begin, end, flowApp, T, V2, v2jobs } from '../kit-timeline.mjs';

export default {
  name: 'timeline-v2-pairs',
  cluster: 'timeline-v2',
  about: 'timeline v2: every two of the parameters of lists together, of entities and of applications',
  async run(c) {
    const { type, user } = begin(c),
      ann = user('ann'),
      flow = type('flow');
    const app = await flowApp(c, 'app', ann, flow, T),
      context = `userid=${ann}&flowname=${flow}&flowrunid=${T}`;
    await c.http('collector', 'PUT', `${V2}/entities?appid=${app}`, { user: ann, body: { entities: v2jobs } });
    const q = encodeURIComponent;
    const options = { user: ann, exact: true, unordered: ['metrics', 'STEP', 'PLAN'] };
    const parts = [
      'eventfilters=START',
      'eventfilters=!(END)',
      'relatesto=STEP:s1',
      'isrelatedto=PLAN:p1',
      `metricfilters=${q('rows ge 7')}`,
      `metricfilters=${q('bytes lt 20')}`,
      `conffilters=${q('color ne blue')}`,
      `infofilters=${q('size ge 1 OR name ne x')}`,
      `infofilters=${q('name ne x')}`,
      `createdtimestart=${T + 1000}`,
      'confstoretrieve=io',
      'confstoretrieve=!(io.size,co)',
      'metricstoretrieve=ro',
      'metricstoretrieve=!(ro)',
      'metricslimit=2',
      `metricstimestart=${T + 2000}`,
      `metricstimeend=${T + 2000}`,
      'limit=2',
      'limit=0',
    ];
    for (const fields of ['', 'fields=ALL&', 'fields=ALL,METRICS&', 'fields=INFO&'])
      for (const [i, one] of parts.entries())
        for (const [j, two] of parts.entries())
          if (j >= i && (j === i || one.split('=')[0] !== two.split('=')[0]))
            await c.record(
              `${fields}${i}.${j}`,
              'reader',
              'GET',
              `${V2}/apps/${app}/entities/JOB?${context}&${fields}${one}${j === i ? '' : `&${two}`}`,
              options,
            );
    await end(c, app, ann);
  },
};
