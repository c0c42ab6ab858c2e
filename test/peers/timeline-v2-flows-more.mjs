import { begin, end, flowApp, T, V2, v2jobs } from '../kit-timeline.mjs';

export default {
  name: 'timeline-v2-flows-more',
  cluster: 'timeline-v2',
  about: 'timeline v2: flows, runs, applications, attempts, containers, sub-application entities',
  async run(c) {
    const { type, user } = begin(c),
      ann = user('ann'),
      flow = type('flow'),
      other = type('other');
    const one = await flowApp(c, 'one', ann, flow, T, '7'),
      two = await flowApp(c, 'two', ann, flow, T + 1, '8');
    const write = (app, entities, query = '') =>
      c.http('collector', 'PUT', `${V2}/entities?appid=${app}${query}`, { user: ann, body: { entities } });
    await write(one, v2jobs);
    await write(two, v2jobs.slice(0, 2));
    await write(
      one,
      [
        {
          type: 'SUB',
          id: 'x1',
          idprefix: 3,
          createdtime: T + 100,
          info: { n: 1 },
          metrics: [{ id: 'm', type: 'TIME_SERIES', values: { [T]: 1, [T + 1]: 2 } }],
          configs: { c: '1' },
          events: [{ id: 'E', timestamp: T }],
          relatesto: { A: ['1'] },
        },
        { type: 'SUB', id: 'x2', idprefix: 2, createdtime: T + 200, info: { n: 2 } },
        { type: 'SUB', id: 'x3', idprefix: 1, info: { n: 3 } },
      ],
      '&subappwrite=true',
    );
    const reader = (path) => c.http('reader', 'GET', `${V2}${path}`, { user: ann });
    const runs = `/users/${ann}/flows/${flow}/runs`,
      now = new Date(),
      day = now.toISOString().slice(0, 10).replaceAll('-', '');
    await end(c, one, ann);
    await c.appIn(one, 'KILLED');
    const three = await flowApp(c, 'three', ann, other, 5);
    await c.until('the end of one', async () =>
      (await reader(`/apps/${one}?fields=ALL`)).json?.events?.some((e) => e.id === 'YARN_APPLICATION_FINISHED'),
    );
    await c.until('the container of one', async () =>
      (await reader(`/apps/${one}/entities/YARN_CONTAINER?fields=ALL`)).json?.[0]?.events?.some((e) => e.id === 'YARN_CONTAINER_FINISHED'),
    );
    await c.until('the attempt of one', async () =>
      (await reader(`/apps/${one}/entities/YARN_APPLICATION_ATTEMPT?fields=ALL`)).json?.[0]?.events?.some(
        (e) => e.id === 'YARN_APPLICATION_ATTEMPT_FINISHED',
      ),
    );
    await c.until('the end of the run', async () => (await reader(`${runs}/${T}`)).json?.info?.SYSTEM_INFO_FLOW_RUN_END_TIME);
    c.mask(/"values":\{"\d+":-?\d+\}/g, '"values":{"1":1}');
    c.mask(/"(createdtime|timestamp|SYSTEM_INFO_DATE|SYSTEM_INFO_FLOW_RUN_END_TIME|idprefix)":\d{10,}/g, '"$1":1');
    c.mask(/(!YARN_\w+!)\d{5,}!/g, '$1{prefix}!');
    c.mask(/"YARN_APPLICATION_(CPU|MEMORY|MEM|CPU_PREEMPT|MEM_PREEMPT)_METRIC":\d+/g, '"YARN_APPLICATION_$1_METRIC":1');
    c.name('stamp', c.value('one.n').split('_')[0]);
    const get = (id, path, { loose = [], ...options } = {}) =>
      c.record(id, 'reader', 'GET', `${V2}${path}`, {
        user: ann,
        unordered: ['metrics', 'events', 'STEP'],
        loose: ['YARN_APPLICATION_SUBMITTED_TIME', 'YARN_APPLICATION_DIAGNOSTICS_INFO', ...loose],
        ...options,
      });
    const mine = (list) => (Array.isArray(list) ? list.filter((f) => f.info.SYSTEM_INFO_USER === ann) : list);
    const yesterday = new Date(now - 864e5).toISOString().slice(0, 10).replaceAll('-', ''),
      tomorrow = new Date(+now + 864e5).toISOString().slice(0, 10).replaceAll('-', '');

    for (const [id, query] of [
      ['limit', 'limit=1'],
      ['limit-zero', 'limit=0'],
      ['limit-negative', 'limit=-1'],
      ['limit-empty', 'limit='],
      ['day-blanks', `daterange=%20${day}%20`],
      ['range', `daterange=${yesterday}-${tomorrow}`],
      ['until', `daterange=-${tomorrow}`],
      ['from-tomorrow', `daterange=${tomorrow}-`],
      ['dash', 'daterange=-'],
      ['empty', 'daterange='],
      ['dashes', `daterange=${day}-${day}-${day}`],
      ['double-dash', `daterange=--${day}`],
      ['day-13', 'daterange=20201301'],
      ['day-32', 'daterange=20200132'],
      ['short', 'daterange=2020010'],
      ['long', 'daterange=202001011'],
      ['half', `daterange=${day}-x`],
      ['blanks', `daterange=${yesterday}%20-%20${tomorrow}`],
      ['from-empty', 'fromid='],
      ['from-five', `fromid=yarn_cluster!1!${ann}!${flow}!x`],
      ['from-text', `fromid=yarn_cluster!x!${ann}!${flow}`],
      ['fields', 'fields=ALL'],
      ['fields-bad', 'fields=x'],
      ['unknown', 'x=y'],
      ['metricslimit', 'metricslimit=x'],
      ['twice', 'limit=1&limit=x'],
      ['same', `daterange=${day}-${day}`],
    ])
      await get(`flows-${id}`, `/flows?${query}`, {
        pick: /^limit(-zero)?$|twice/.test(id) ? (l) => (Array.isArray(l) ? l.length > 0 : l) : mine,
      });
    await get('flows-blank-cluster', '/clusters/%20/flows', { pick: mine });
    await get('flows-noslash', '/flows', { pick: mine });
    for (const [id, query] of [
      ['limit-zero', 'limit=0'],
      ['limit-negative', 'limit=-5'],
      ['limit-bad', 'limit=x'],
      ['limit-empty', 'limit='],
      ['created', `createdtimestart=1&createdtimeend=2`],
      ['created-since', 'createdtimestart=1'],
      ['created-end-bad', 'createdtimeend=x'],
      ['created-end-zero', 'createdtimeend=0'],
      ['fields-metrics', 'fields=METRICS'],
      ['fields-info', 'fields=INFO'],
      ['fields-lower', 'fields=metrics'],
      ['fields-two', 'fields=METRICS,ALL'],
      ['fields-empty', 'fields='],
      ['fields-bad', 'fields=x'],
      ['fields-configs', 'fields=CONFIGS'],
      ['fields-metrics-info', 'fields=METRICS,INFO'],
      ['metrics', 'metricstoretrieve=by'],
      ['metrics-not', 'metricstoretrieve=!(by)&fields=ALL'],
      ['metrics-bad', 'metricstoretrieve=!(by'],
      ['metricslimit', 'metricslimit=5&fields=ALL'],
      ['metricslimit-bad', 'metricslimit=x'],
      ['from-second', `fromid=yarn_cluster!${ann}!${flow}!${T}`],
      ['from-first', `fromid=yarn_cluster!${ann}!${flow}!${T + 1}`],
      ['from-unknown', `fromid=yarn_cluster!${ann}!${flow}!7`],
      ['from-bad-run', `fromid=yarn_cluster!${ann}!${flow}!x`],
      ['from-five', `fromid=yarn_cluster!${ann}!${flow}!${T}!x`],
      ['from-cluster', `fromid=other!${ann}!${flow}!${T}`],
      ['from-user', `fromid=yarn_cluster!zoe!${flow}!${T}`],
      ['from-empty', 'fromid='],
      ['infofilters', 'infofilters=x'],
      ['daterange', 'daterange=x'],
    ])
      await get(`runs-${id}`, `${runs}?${query}`);
    await get('runs-cluster', `/clusters/yarn_cluster${runs}`);
    await get('runs-other-cluster', `/clusters/elsewhere${runs}`);
    await get('runs-user', `/users/zoe/flows/${flow}/runs`);
    await get('runs-blank-user', `/users/%20/flows/${flow}/runs`);
    await get('runs-case', `/users/${ann}/flows/${flow.toUpperCase()}/runs`);
    for (const [id, run] of [
      ['slash', `${T}/`],
      ['plus', `+${T}`],
      ['blanks', `%20${T}%20`],
      ['negative', '-1'],
      ['huge', '99999999999999999999'],
      ['float', '1.0'],
      ['empty', '%20'],
      ['bad-metrics', `${T}?metricstoretrieve=!(x`],
      ['metrics-not', `${T}?metricstoretrieve=!(bytes)`],
      ['fields', `${T}?fields=x`],
      ['fields-none', `${T}?fields=INFO`],
      ['deeper', `${T}/x`],
    ])
      await get(`run-${id}`, `${runs}/${run}`);
    await get('run-cluster', `/clusters/yarn_cluster${runs}/${T}`);
    await get('run-other-cluster', `/clusters/elsewhere${runs}/${T}`);
    await get('run-five', `/users/${ann}/flows/${other}/runs/5`);
    for (const [id, query] of [
      ['limit', 'limit=1'],
      ['limit-bad', 'limit=x'],
      ['fields-bad', 'fields=x'],
      ['all', 'fields=ALL'],
      ['events', 'fields=EVENTS'],
      ['created', 'createdtimestart=1'],
      ['created-none', 'createdtimeend=5'],
      ['filter', 'infofilters=YARN_APPLICATION_NAME%20eq%20one'],
      ['filter-ne', 'infofilters=YARN_APPLICATION_NAME%20ne%20one'],
      ['filter-bad', 'infofilters=x'],
      ['event', 'eventfilters=YARN_APPLICATION_CREATED'],
      ['event-not', 'eventfilters=!(YARN_APPLICATION_FINISHED)'],
      ['metric', 'metricfilters=YARN_APPLICATION_CPU%20ge%200'],
      ['metric-none', 'metricfilters=nothing%20gt%205'],
      ['conf', 'conffilters=YARN_AM_NODE_LABEL_EXPRESSION%20ne%20x'],
      ['relates', 'relatesto=A:1'],
      ['confs', 'confstoretrieve=YARN'],
      ['metrics', 'metricstoretrieve=YARN_APPLICATION_C'],
      ['metricslimit', 'fields=METRICS&metricslimit=5'],
      ['from-self', `fromid=yarn_cluster!${ann}!${flow}!${T}!${one}`],
      ['from-four', `fromid=yarn_cluster!${ann}!${flow}!${T}`],
      ['from-eight', `fromid=yarn_cluster!${ann}!${flow}!${T}!${one}!JOB!40!one`],
      ['from-bad-run', `fromid=yarn_cluster!${ann}!${flow}!x!${one}`],
      ['from-bad-app', `fromid=yarn_cluster!${ann}!${flow}!${T}!x`],
      ['from-other-flow', `fromid=yarn_cluster!${ann}!${other}!5!${three}`],
      ['from-empty', 'fromid='],
    ]) {
      await get(`run-apps-${id}`, `${runs}/${T}/apps?${query}`);
      await get(`flow-apps-${id}`, `/users/${ann}/flows/${flow}/apps?${query}`);
    }
    await get('flow-apps-cluster', `/clusters/yarn_cluster/users/${ann}/flows/${flow}/apps`);
    await get('flow-apps-none', `/users/${ann}/flows/nothing/apps`);
    await get('flow-apps-slash', `/users/${ann}/flows/${flow}/apps/`);
    await get('run-apps-bad-run', `${runs}/x/apps`);
    await get('run-apps-slash', `${runs}/${T}/apps/`);
    await get('run-uid-apps-limit', `/run-uid/yarn_cluster!${ann}!${flow}!${T}/apps?limit=1`);
    await get('run-uid-metrics', `/run-uid/yarn_cluster!${ann}!${flow}!${T}?metricstoretrieve=bytes`);
    for (const [id, app] of [
      ['unpadded', one.replace(/_0+(\d+)$/, '_$1')],
      ['over', one.replace(/_(\d+)$/, '_000$1')],
      ['upper', one.toUpperCase()],
      ['blanks', `%20${one}%20`],
      ['trailing', `${one}_1`],
      ['number', 'application_x_1'],
      ['short', 'application_1'],
      ['slash', `${one}/`],
      ['matrix', `${one};a=b`],
      ['blank', '%20'],
    ]) {
      await get(`app-${id}`, `/apps/${app}`);
      if (id !== 'slash') {
        await get(`app-${id}-entities`, `/apps/${app}/entities/STEP`);
        await get(`app-${id}-types`, `/apps/${app}/entity-types`, { pick: (list) => (Array.isArray(list) ? [...list].sort() : list) });
      }
    }
    for (const [id, query] of [
      ['fields-bad', 'fields=x'],
      ['fields-events', 'fields=EVENTS'],
      ['fields-configs', 'fields=configs'],
      ['fields-metrics', 'fields=METRICS'],
      ['metricslimit', 'metricslimit=x'],
      ['metrics', 'metricstoretrieve=YARN_APPLICATION_M'],
      ['confs', 'confstoretrieve=YARN_AM'],
      ['user', `userid=${ann}`],
      ['flow', `flowname=${flow}`],
      ['run', `flowrunid=${T}`],
      ['run-bad', 'flowrunid=x'],
      ['wrong-user', `userid=zoe&flowname=${flow}&flowrunid=${T}`],
      ['limit', 'limit=x'],
      ['filters', 'infofilters=x'],
    ])
      await get(`app-one-${id}`, `/apps/${one}?${query}`);
    await get('app-cluster', `/clusters/yarn_cluster/apps/${one}`);
    await get('app-other-cluster-context', `/clusters/elsewhere/apps/${one}?userid=${ann}&flowname=${flow}&flowrunid=${T}`);
    await get('app-running', `/apps/${two}?fields=INFO,EVENTS`);
    await get('types-bad-run', `/apps/${one}/entity-types?flowrunid=x`);
    await get('types-cluster', `/clusters/yarn_cluster/apps/${one}/entity-types`, { pick: (list) => [...list].sort() });
    await get('types-unknown', '/apps/application_1_0001/entity-types');
    await get('types-other-cluster', `/clusters/elsewhere/apps/${one}/entity-types`);
    const at = `appattempt_${c.value('one.n')}_000001`,
      box = `container_${c.value('one.n')}_01_000001`;
    const containerLoose = {
      loose: ['YARN_CONTAINER_DIAGNOSTICS_INFO', 'YARN_CONTAINER_EXIT_STATUS', 'YARN_CONTAINER_FINISHED_TIME', 'events'],
    };
    for (const [id, query] of [
      ['plain', ''],
      ['info', 'fields=INFO'],
      ['limit', 'limit=0'],
      ['limit-bad', 'limit=x'],
      ['fields-bad', 'fields=x'],
      ['filter', 'infofilters=YARN_APPLICATION_ATTEMPT_STATE%20eq%20x'],
      ['created', `createdtimestart=1`],
      ['from-bad', 'fromid=x'],
    ]) {
      await get(`attempts-${id}`, `/apps/${one}/appattempts?${query}`);
      await get(`attempts-cluster-${id}`, `/clusters/yarn_cluster/apps/${one}/appattempts?${query}`);
    }
    for (const [id, name] of [
      ['slash', `${at}/`],
      ['unknown', at.replace(/1$/, '9')],
      ['malformed', 'x'],
      ['blank', '%20'],
      ['fields-bad', `${at}?fields=x`],
      ['prefix', `${at}?entityidprefix=5`],
      ['prefix-bad', `${at}?entityidprefix=x`],
      ['info', `${at}?fields=INFO`],
    ])
      await get(`attempt-${id}`, `/apps/${one}/appattempts/${name}`);
    for (const [id, name] of [
      ['slash', `${box}/`],
      ['blank', '%20'],
      ['malformed', 'x'],
      ['unknown', box.replace(/1$/, '9')],
      ['fields-bad', `${box}?fields=x`],
      ['prefix-bad', `${box}?entityidprefix=x`],
      ['plain', box],
    ])
      await get(`container-${id}`, `/apps/${one}/containers/${name}`, containerLoose);
    await get('containers-none', `/apps/${one}/containers`);
    await get('containers-unknown-attempt', `/apps/${one}/appattempts/${at.replace(/1$/, '9')}/containers`);
    await get('containers-malformed-attempt', `/apps/${one}/appattempts/x/containers`);
    await get('containers-bad-limit', `/apps/${one}/appattempts/${at}/containers?limit=x`);
    await get('containers-slash', `/apps/${one}/appattempts/${at}/containers/?infofilters=nothing%20eq%20x`);
    for (const [id, query] of [
      ['plain', ''],
      ['all', 'fields=ALL'],
      ['limit', 'limit=1'],
      ['limit-bad', 'limit=x'],
      ['created', `createdtimestart=${T + 150}`],
      ['filter', 'infofilters=n%20ne%202'],
      ['filter-bad', 'infofilters=n'],
      ['event', 'eventfilters=E'],
      ['conf', 'conffilters=c%20eq%201'],
      ['metric', 'metricfilters=m%20eq%202'],
      ['relates', 'relatesto=A:1'],
      ['metricslimit', 'fields=METRICS&metricslimit=2'],
      ['confs', 'confstoretrieve=c'],
      ['metrics', 'metricstoretrieve=m'],
      ['fields-bad', 'fields=x'],
      ['from-bad', 'fromid=x'],
      ['from', `fromid=${ann}!yarn_cluster!SUB!2!x2!${ann}`],
      ['from-five', `fromid=${ann}!yarn_cluster!SUB!2!x2`],
      ['from-eight', `fromid=yarn_cluster!${ann}!${flow}!${T}!${one}!SUB!2!x2`],
      ['from-prefix', `fromid=${ann}!yarn_cluster!SUB!x!x2!${ann}`],
    ])
      await get(`sub-${id}`, `/users/${ann}/entities/SUB?${query}`);
    await get('sub-slash', `/users/${ann}/entities/SUB/`);
    await get('sub-cluster', `/clusters/yarn_cluster/users/${ann}/entities/SUB`);
    await get('sub-other-cluster', `/clusters/elsewhere/users/${ann}/entities/SUB`);
    await get('sub-nobody', '/users/zoe/entities/SUB');
    await get('sub-app', `/apps/${one}/entities/SUB?fields=INFO`);
    await get('sub-one-bad-prefix', `/users/${ann}/entities/SUB/x1?entityidprefix=x`);
    await get('sub-one-fields-bad', `/users/${ann}/entities/SUB/x1?fields=x`);
    await get('sub-one-metricslimit', `/users/${ann}/entities/SUB/x1?metricslimit=x`);
    await end(c, two, ann);
    await end(c, three, ann);
  },
};
