// Queries and changes of the resource manager with parameters, bodies and formats chosen at random, over applications in every state.
import {
  attempt,
  clear,
  command,
  container,
  ended,
  get,
  kill,
  launched,
  masks,
  RM,
  sleeping,
  submit,
  unmanaged,
  waiting,
} from '../kit-apps.mjs';
import { choices } from './choices.mjs';

export default {
  name: 'rm-states-random',
  cluster: 'capacity',
  fresh: true,
  about: 'queries and changes of the resource manager chosen at random, over applications in every state',
  async run(c) {
    const r = choices(Number(process.env['HEDDLE_PEERS_SEED'] ?? 5));
    masks(c);
    await clear(c);
    const t0 = c.name('t0', Date.now());
    await c.sleep(30);
    const acls = {
      'application-acls': {
        entry: [
          { key: 'VIEW_APP', value: 'carol' },
          { key: 'MODIFY_APP', value: 'dave' },
        ],
      },
    };
    const ids = {};
    const make = async (name, spec, user, wait) => {
      ids[name] = await submit(c, name, spec, user);
      await wait(c, ids[name]);
    };
    await make(
      'plain',
      { ...unmanaged, 'application-type': 'SPARK', 'application-tags': { tag: ['x', 'y'] }, 'am-container-spec': acls },
      'ada',
      launched,
    );
    await make(
      'runs',
      { ...sleeping(3000, 512), queue: 'models', 'application-timeouts': { entry: [{ key: 'LIFETIME', value: 100000 }] } },
      'bob',
      launched,
    );
    await make('fails', { ...command('exit 7'), queue: 'reports' }, 'ada', ended);
    await make('refused', { ...unmanaged, queue: 'nowhere' }, 'bob', ended);
    await make('killed', { ...unmanaged, priority: 4 }, 'eve', launched);
    await kill(c, ids.killed);
    await make('big', { ...sleeping(3000, 2048), queue: 'default' }, 'zoe', launched);
    await make(
      'held',
      { ...sleeping(3000, 3000), queue: 'default', 'am-container-spec': { ...sleeping()['am-container-spec'], ...acls } },
      'ada',
      waiting,
    );
    const t1 = c.name('t1', Date.now());
    const node = (await get(c, '/nodes?states=RUNNING')).nodes.node[0].id;
    c.name('node', node);
    const live = ['plain', 'runs', 'big', 'held'],
      all = Object.keys(ids);
    const odd = [
      '',
      'x',
      '0',
      '-1',
      '1',
      '2',
      '1.5',
      '99999999999',
      '99999999999999999999',
      'true',
      'TRUE',
      'null',
      ' ',
      'a,b',
      ',',
      '+1',
      '<b>',
      '"x"',
      "'",
      '\u00fc',
      '*',
      '%',
      '..',
    ];
    const id = () =>
      r.chance(0.85)
        ? ids[r.pick(all)]
        : r.pick([
            'application_1_0001',
            'x',
            'application_',
            `${ids.runs}x`,
            'application_1_1',
            'application_1_01',
            'app_1_1',
            ids.runs.replace('_0', '_'),
            'application_-1_0001',
            ' ',
          ]);
    const att = () =>
      r.chance(0.8)
        ? attempt(ids[r.pick(all)], r.pick([1, 1, 1, 2, 0]))
        : r.pick(['appattempt_1_0001_000001', 'x', 'appattempt_', container(ids.runs), `${attempt(ids.runs)}1`]);
    const con = () =>
      r.chance(0.8)
        ? container(ids[r.pick(all)], 1, r.pick([1, 1, 2]))
        : r.pick(['container_1_0001_01_000001', 'x', 'container_', attempt(ids.runs)]);
    const nodeId = () => r.pick([node, node, node, node.split(':')[0], 'x', 'x:1', 'x:y', `${node}1`, ':', 'x:-1', 'x:99999999999']);
    const times = [t0, t1, '0', '-1', 'x', '', '4102444800000', '99999999999999999999', '1.0', '+5', ' 5'];
    const states = [
      'NEW',
      'NEW_SAVING',
      'SUBMITTED',
      'ACCEPTED',
      'RUNNING',
      'FINISHED',
      'FAILED',
      'KILLED',
      'running',
      'x',
      '',
      'RUNNING,FAILED',
      'ACCEPTED, FAILED',
      'KILLED,',
      'FINAL_SAVING',
      'KILLING',
      'ACCEPTED,x',
    ];
    const types = ['SPARK', 'spark', 'YARN', 'x', '', 'SPARK,YARN', ' SPARK ', ','];
    const ofApps = {
      state: states,
      states,
      finalStatus: ['SUCCEEDED', 'FAILED', 'KILLED', 'UNDEFINED', 'ENDED', 'x', '', 'failed'],
      user: ['ada', 'bob', 'root', '', 'x', 'ADA', 'ada,bob'],
      queue: ['default', 'models', 'root.research.models', 'root.default', 'root', 'root.research', 'x', '', 'nowhere', 'reports'],
      limit: ['100', '0', '-1', 'x', '', '99999999999', '1.5', '50'],
      startedTimeBegin: times,
      startedTimeEnd: times,
      finishedTimeBegin: times,
      finishedTimeEnd: times,
      applicationTypes: types,
      applicationTags: ['x', 'X', 'y', 'z', '', 'x,z', ','],
      name: ['runs', 'big', 'x', '', 'RUNS', 'held'],
      deSelects: [
        'resourceRequests',
        'timeouts',
        'appNodeLabelExpression',
        'amNodeLabelExpression',
        'resourceInfo',
        'x',
        '',
        'resourceRequests,timeouts',
        'RESOURCEREQUESTS',
        'ALL',
      ],
    };
    const none = {};
    const appRow = (x) =>
      x.apps
        ? {
            apps: (x.apps.app ?? [])
              .map((a) => [a.id, a.name, a.user, a.queue, a.state, a.finalStatus, Object.keys(a).sort().join()])
              .sort(),
          }
        : x;
    const reads = [
      [() => `${RM}/apps`, ofApps, 14, { pick: appRow }],
      [() => `${RM}/appstatistics`, { states, applicationTypes: types, state: states }, 5],
      [() => `${RM}/apps/${id()}`, { deSelects: ofApps.deSelects }, 5],
      [
        () =>
          `${RM}/apps/${id()}/${r.pick(['state', 'queue', 'priority', 'timeouts', 'timeouts/LIFETIME', 'timeouts/lifetime', 'timeouts/x', 'timeout', 'appattempts', 'x', 'appattempts/', 'State'])}`,
        none,
        7,
      ],
      [() => `${RM}/apps/${id()}/appattempts/${att()}`, none, 3],
      [() => `${RM}/apps/${id()}/appattempts/${att()}/${r.pick(['containers', 'containers', 'x', 'containers/'])}`, none, 4],
      [() => `${RM}/apps/${id()}/appattempts/${att()}/containers/${con()}`, none, 4],
      [
        () => `${RM}/nodes`,
        {
          states: [
            'RUNNING',
            'LOST',
            'x',
            '',
            'running',
            'RUNNING,LOST',
            'SHUTDOWN',
            'NEW',
            'all',
            'ALL',
            'RUNNING,x',
            'UNHEALTHY',
            'DECOMMISSIONED',
            'DECOMMISSIONING',
            'REBOOTED',
            ',',
            'RUNNING,',
            ' RUNNING',
          ],
          state: ['RUNNING', 'x'],
          healthy: ['true', 'false', 'x', ''],
        },
        5,
      ],
      [() => `${RM}/nodes/${nodeId()}`, none, 3],
      [
        () =>
          `${RM}/${r.pick(['info', 'metrics', 'scheduler-overview', 'userinfo', 'get-node-labels', 'get-node-to-labels', 'label-mappings', 'scheduler-conf/version', 'scheduler-conf/format', 'get-rm-node-labels', '', 'nodes/', 'Info', 'cluster', 'validate-and-refresh', 'replace-node-to-labels', 'queues', 'delegation-token', 'reservation', 'reservation/new', 'containers'])}`,
        { labels: ['x', '', 'gpu', 'x,y'], x: odd },
        5,
      ],
      [() => `${RM}/nodes/${nodeId()}/${r.pick(['get-labels', 'get-labels', 'replace-labels', 'resource', 'x', 'get-labels/'])}`, none, 4],
      [
        () =>
          `${RM}/queues/${r.pick(['default', 'root.default', 'root', 'x', 'reports', 'root.operations', '', 'root.', 'models'])}/${r.pick(['access', 'access', 'access', 'x', 'access/'])}`,
        {
          user: ['ada', 'root', '', 'x', 'admin'],
          'queue-acl-type': [
            'SUBMIT_APPLICATIONS',
            'ADMINISTER_QUEUE',
            'submit_applications',
            'x',
            '',
            'ADMINISTER_MAX_PRIORITY',
            'ADMINISTER_RESERVATIONS',
            'SUBMIT_RESERVATIONS',
          ],
          'queue-acl': ['x'],
        },
        5,
      ],
      [
        () => `${RM}/scheduler/app-activities/${id()}`,
        {
          maxTime: ['0', '3', 'x', '', '-1', '1.5', '99999999999'],
          requestPriorities: ['0', '1', 'x', '', '0,1', '-1'],
          allocationRequestIds: ['-1', '0', 'x', '', '0,x'],
          groupBy: ['diagnostic', 'x', '', 'DIAGNOSTIC'],
          limit: ['0', '1', 'x', '-1', '', '99999999999'],
          actions: ['refresh', 'get', 'x', '', 'get,refresh', 'REFRESH', ','],
          summarize: ['true', 'x', '', 'false'],
        },
        6,
        {
          loose: ['timestamp', 'dateTime'],
          pick: (j) =>
            j.appActivities
              ? {
                  id: j.appActivities.applicationId,
                  diagnostic: j.appActivities.diagnostic,
                  keys: Object.keys(j.appActivities)
                    .filter((k) => !['allocations', 'diagnostic'].includes(k))
                    .sort(),
                }
              : j,
        },
      ],
      [
        () => `${RM}/scheduler/activities`,
        { nodeId: [node, 'x', '', 'x:1', node.split(':')[0], 'x:y'], groupBy: ['diagnostic', 'x', '', 'DIAGNOSTIC', 'diagnostic,x'] },
        2,
        {
          pick: (j) =>
            j.activities ? Object.keys(j.activities).filter((k) => !/allocations|diagnostic|timestamp|dateTime|nodeId/.test(k)) : j,
        },
      ],
      [
        () => `${RM}/scheduler/bulk-activities`,
        { groupBy: ['diagnostic', 'x', ''], activitiesCount: ['0', '1', 'x', '', '-1', '99999999999'] },
        2,
        { pick: (j) => (j.bulkActivities || j.activities ? Object.keys(j) : j) },
      ],
      [
        () => `${RM}/containers/${con()}/logs`,
        { 'nm.id': [node, 'x', ''], clusterid: ['x'], manual_redirection: ['true', 'x'], redirected_from_node: ['true', 'x'] },
        1,
      ],
      [
        () => `${RM}/reservation/list`,
        {
          queue: ['operations', 'default', 'root.operations', 'x', ''],
          'reservation-id': ['reservation_1_0001', 'x', ''],
          'start-time': times,
          'end-time': times,
          'include-resource-allocations': ['true', 'false', 'x', ''],
        },
        4,
      ],
    ];
    const accepts = [
      undefined,
      undefined,
      undefined,
      undefined,
      'application/json',
      'application/xml',
      'application/xml',
      'text/xml',
      '*/*',
      'text/html',
      'application/xml;q=0.9,application/json;q=0.3',
      'application/json;q=0.2, application/xml;q=0.8',
      'application/*',
      'text/*',
      'x',
      'image/png',
    ];
    const loose = [
      'progress',
      'remainingTimeInSeconds',
      'memorySeconds',
      'vcoreSeconds',
      'lastHealthUpdate',
      'timestamp',
      'nodeUpdateTime',
      'dateTime',
      'expiryTime',
    ];
    const xmlOf = (name, value) =>
      typeof value === 'object' && value !== null
        ? `<${name}>${Object.entries(value)
            .map(([k, v]) => xmlOf(k, v))
            .join('')}</${name}>`
        : `<${name}>${value}</${name}>`;
    const odds = [null, [], {}, '', 'x', 0, -1, 1.5, true, [1], { a: 1 }];
    const body = (root, value) =>
      r.pick([
        () => [JSON.stringify(value), 'application/json'],
        () => [JSON.stringify(value), 'application/json'],
        () => [JSON.stringify(value), 'application/json'],
        () => [xmlOf(root, value), 'application/xml'],
        () => [xmlOf(root, value), 'application/xml'],
        () => [JSON.stringify({ [root]: value }), 'application/json'],
        () => [JSON.stringify({ ...value, more: r.pick(odds) }), 'application/json'],
        () => [JSON.stringify(Object.fromEntries(Object.keys(value).map((k) => [k, r.pick(odds)]))), 'application/json'],
        () => [
          JSON.stringify(value),
          r.pick([
            'text/plain',
            'application/xml',
            'text/json',
            '',
            'application/json;charset=utf-8',
            'APPLICATION/JSON',
            'application/x-www-form-urlencoded',
            'application/vnd.x+json',
          ]),
        ],
        () => [xmlOf(`${root}s`, value), 'application/xml'],
        () => [xmlOf(root, { ...value, more: 1 }), 'application/xml'],
        () => ['', 'application/json'],
        () => ['{', 'application/json'],
        () => ['null', 'application/json'],
        () => ['[]', 'application/json'],
        () => ['<', 'application/xml'],
      ])();
    const far = () => `20${30 + r.int(60)}-0${1 + r.int(9)}-1${r.int(10)}T0${r.int(10)}:00:00.000+0${r.int(9)}00`;
    const writes = [
      () => [
        'PUT',
        `${RM}/apps/${id()}/state`,
        ...body('appstate', { state: r.pick(['RUNNING', 'ACCEPTED', 'FINISHED', 'FAILED', 'killed', 'X', '', 'NEW']) }),
      ],
      () => [
        'PUT',
        `${RM}/apps/${id()}/queue`,
        ...body('appqueue', { queue: r.pick(['default', 'root.default', 'models', 'reports', 'root.research', 'nowhere', '', 'root']) }),
      ],
      () => [
        'PUT',
        `${RM}/apps/${id()}/priority`,
        ...body('applicationpriority', { priority: r.pick([0, 1, 7, 10, 11, -3, '4', 'x', 2147483648]) }),
      ],
      () => [
        'PUT',
        `${RM}/apps/${id()}/timeout`,
        ...body('timeout', {
          type: r.pick(['LIFETIME', 'LIFETIME', 'lifetime', 'X', '']),
          expiryTime: r.pick([far(), far(), '2000-01-01T00:00:00.000+0000', 'UNLIMITED', '', 'x']),
        }),
      ],
      () => [
        'PUT',
        `${RM}/apps/${id()}/timeout`,
        JSON.stringify({ timeout: { type: r.pick(['LIFETIME', 'X']), expiryTime: r.pick([far(), 'UNLIMITED', '', 5]) } }),
        'application/json',
      ],
      () => [
        'POST',
        `${RM}/nodes/${nodeId()}/resource`,
        ...body('resourceOption', {
          resource: { memory: r.pick([8192, 12288, -1, 'x', 16384]), vCores: r.pick([8, 12, -1, 'x']) },
          overCommitTimeout: r.pick([0, -1, 1000, 'x']),
        }),
      ],
      () => [
        'POST',
        `${RM}/add-node-labels`,
        ...body('nodeLabelsInfo', {
          nodeLabelInfo: [{ name: r.pick(['gpu', 'ssd', 'x y', '', '*', '-x', 'a'.repeat(256)]), exclusivity: r.pick([true, false, 'x']) }],
        }),
      ],
      () => ['POST', `${RM}/remove-node-labels?labels=${r.pick(['gpu', 'ssd', 'x', '', 'gpu,x'])}`, undefined, undefined],
      () => [
        'POST',
        `${RM}/replace-node-to-labels`,
        ...body('nodeToLabelsEntryList', { nodeToLabels: [{ nodeId: nodeId(), labels: [r.pick(['', 'x', 'none'])] }] }),
      ],
      () => ['POST', `${RM}/nodes/${nodeId()}/replace-labels?labels=${r.pick(['', 'x', 'none', '%20'])}`, undefined, undefined],
      () => ['POST', `${RM}/delegation-token`, ...body('delegationtoken', { renewer: r.pick(['ada', '', 'bob', 'a/b@C', '\u00fc']) })],
      () => ['POST', `${RM}/delegation-token/expiration`, ...body('delegationtoken', { token: r.pick(['x', '', 'AAAA']) })],
      () => ['DELETE', `${RM}/delegation-token`, undefined, undefined],
      () => [
        'POST',
        `${RM}/containers/${con()}/signal/${r.pick(['OUTPUT_THREAD_DUMP', 'GRACEFUL_SHUTDOWN_', 'x', 'output_thread_dump'])}`,
        undefined,
        undefined,
      ],
      () => ['POST', `${RM}/scheduler/logs`, undefined, undefined],
      () => [
        r.pick(['DELETE', 'PUT', 'POST', 'HEAD', 'PATCH']),
        r.pick([
          `${RM}/apps`,
          `${RM}/apps/${ids.runs}`,
          `${RM}/apps/${ids.runs}/state`,
          `${RM}/nodes`,
          `${RM}/scheduler`,
          `${RM}/metrics`,
          `${RM}/apps/new-application`,
          `${RM}/scheduler-conf`,
          `${RM}/appstatistics`,
          `${RM}/reservation/submit`,
          `${RM}/label-mappings`,
        ]),
        ...r.pick([
          [undefined, undefined],
          ['x', 'text/plain'],
        ]),
      ],
    ];
    const users = ['root', 'root', 'ada', 'ada', 'bob', 'carol', 'dave', 'admin', undefined];
    const many = Number(process.env['HEDDLE_PEERS_COUNT'] ?? 600);
    const total = reads.reduce((sum, [, , weight]) => sum + weight, 0);
    const same = {
      loose,
      mask: [
        [/(<clusterInfo><id>|"clusterInfo":\{"id":)\d+/, '$10'],
        [/"urlString":"[^"]*/, '"urlString":"{token}'],
        [/("token":"|<token>)[\w-]{20,}/, '$1{token}'],
        [/("state":"|<state>)[A-Z_]+(?=".*RMContainer)/, '$1'],
      ],
    };
    for (let n = 0; n < many; n++) {
      const user = r.pick(users);
      let accept = r.pick(accepts);
      if (r.chance(0.35)) {
        const [method, path, text, type] = r.pick(writes)();
        if (/timeout|queue|priority/.test(path) && type === undefined) continue;
        const who = /resource/.test(path) ? 'root' : user;
        const headers = type === undefined ? {} : { 'content-type': type };
        await c.record(`w.${n}`, 'rm', method, encodeURI(path).replaceAll('%25', '%'), {
          ...same,
          user: who,
          ...(accept ? { accept } : {}),
          headers,
          ...(text === undefined ? {} : { body: text }),
          ...(/\/apps\/new-app|\/nodes$|\/scheduler$|\/metrics$|\/apps$/.test(path)
            ? { pick: (j) => (j.RemoteException ? j : Object.keys(j)) }
            : {}),
        });
        if (/resource|label/.test(path)) await c.sleep(1200);
        continue;
      }
      let left = r.next() * total;
      const [path, parameters, , more = {}] = reads.find(([, , weight]) => (left -= weight) < 0) ?? reads[0];
      if (more.pick && accept && !/json$/.test(accept)) accept = undefined;
      const names = Object.keys(parameters);
      const chosen = names.length ? r.times(r.int(4), () => r.pick(names)) : [];
      if (chosen.length && r.chance(0.1)) chosen.push(chosen[0]);
      const pairs = chosen.map((name) => [
        r.chance(0.03) ? name.toUpperCase() : name,
        r.chance(0.05) ? r.pick(odd) : r.pick(parameters[name]),
      ]);
      if (r.chance(0.04)) pairs.push(['x', 'y']);
      const query = pairs.map(([name, value]) => `${name}=${encodeURIComponent(value)}`).join('&');
      await c.record(`r.${n}`, 'rm', 'GET', encodeURI(path()).replaceAll('%25', '%') + (query ? `?${query}` : ''), {
        ...same,
        ...more,
        user: query.includes('user=') ? r.pick(['root', undefined]) : user,
        ...(accept ? { accept } : {}),
      });
    }
    for (const name of all) await c.record(`end.${name}`, 'rm', 'GET', `${RM}/apps/${ids[name]}`, { user: 'root', loose });
    for (const name of live) await kill(c, ids[name]);
  },
};
