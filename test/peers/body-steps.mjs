// Bodies of every change of the resource manager that are right, and ways to make them wrong in one place.
const entries = (map) => ({ entry: Object.entries(map).map(([key, value]) => ({ key, value })) });
const escaped = (text) => String(text).replaceAll('&', '&amp;').replaceAll('<', '&lt;');
/** XML with an element for each member; lists repeat it. */
export const xmlOf = (name, value) => {
  if (Array.isArray(value)) return value.map((v) => xmlOf(name, v)).join('');
  if (value === null) return `<${name}/>`;
  if (typeof value === 'object')
    return `<${name}>${Object.entries(value)
      .map(([k, v]) => xmlOf(k.replaceAll(/[^\w.-]/g, '_'), v))
      .join('')}</${name}>`;
  return `<${name}>${escaped(value)}</${name}>`;
};
const odd = [
  null,
  5,
  -1,
  0,
  1.5,
  true,
  false,
  '',
  ' ',
  'x',
  '5',
  '-1',
  '1.5',
  'true',
  ' 5 ',
  [],
  {},
  [null],
  ['x'],
  [5],
  [[]],
  [{}],
  { a: 1 },
  { value: 'x' },
  1e20,
  '99999999999',
  2147483648,
];

/** Copies `value` with one place in it changed. */
export function changed(r, value) {
  const places = [];
  const visit = (v, path) => {
    places.push(path);
    if (v && typeof v === 'object') for (const k of Object.keys(v)) visit(v[k], [...path, k]);
  };
  visit(value, []);
  const copy = structuredClone(value);
  const path = r.pick(places);
  if (!path.length) {
    const k = r.int(6);
    return k === 0
      ? r.pick(odd)
      : k === 1
        ? [copy]
        : { ...copy, ...(r.chance(0.5) ? { more: r.pick(odd) } : { [`${Object.keys(copy)[0]}x`]: 'y' }) };
  }
  let at = copy;
  for (const k of path.slice(0, -1)) at = at[k];
  const last = path.at(-1),
    k = r.int(8);
  if (k === 0) {
    if (Array.isArray(at)) at.splice(Number(last), 1);
    else delete at[last];
  } else if (k === 1) at[last] = [at[last]];
  else if (k === 2) at[last] = [at[last], at[last]];
  else if (k === 3 && !Array.isArray(at)) {
    at[r.pick([last.toUpperCase(), ` ${last}`, `${last}s`, last.replaceAll('-', '')])] = at[last];
    if (r.chance(0.5)) delete at[last];
  } else if (k === 4 && at[last] && typeof at[last] === 'object' && !Array.isArray(at[last])) at[last].more = r.pick(odd);
  else at[last] = structuredClone(r.pick(odd));
  return copy;
}

export const submission = (id) => ({
  'application-id': id,
  'application-name': 'name',
  'application-type': 'T',
  queue: 'default',
  priority: 1,
  'unmanaged-AM': true,
  'max-app-attempts': 1,
  resource: {
    memory: 256,
    vCores: 1,
    resourceInformations: {
      resourceInformation: [
        {
          name: 'memory-mb',
          value: 256,
          units: 'Mi',
          resourceType: 'COUNTABLE',
          attributes: {},
          minimumAllocation: 0,
          maximumAllocation: 9999,
        },
      ],
    },
  },
  'application-tags': { tag: ['a', 'b'] },
  'keep-containers-across-application-attempts': false,
  'attempt-failures-validity-interval': 10,
  'application-timeouts': { entry: [{ key: 'LIFETIME', value: 3600 }] },
  'app-node-label-expression': '',
  'am-container-node-label-expression': '',
  'am-container-spec': {
    commands: { command: 'sleep 5' },
    environment: entries({ A: 'b' }),
    'application-acls': { entry: [{ key: 'VIEW_APP', value: 'ann' }] },
    'local-resources': {
      entry: [{ key: 'f', value: { resource: 'file:///etc/hostname', type: 'FILE', visibility: 'PUBLIC', size: 1, timestamp: 1 } }],
    },
    credentials: { tokens: {}, secrets: {} },
    'service-data': { entry: [{ key: 's', value: 'YQ==' }] },
  },
  'log-aggregation-context': {
    'log-include-pattern': 'a',
    'log-exclude-pattern': 'b',
    'rolled-log-include-pattern': 'c',
    'rolled-log-exclude-pattern': 'd',
    'log-aggregation-policy-class-name':
      'org.apache.hadoop.yarn.server.nodemanager.containermanager.logaggregation.AllContainerLogAggregationPolicy',
    'log-aggregation-policy-parameters': '',
  },
});

/** What is asked, by name: method, path, root in XML, a body that is right (made anew for each where null), how often. */
export function kindsOf({ standing, node, stamp, from }) {
  const definition = {
    arrival: from,
    deadline: from + 60_000,
    'reservation-name': 'n',
    priority: 1,
    'recurrence-expression': '0',
    'reservation-requests': {
      'reservation-request-interpreter': 0,
      'reservation-request': [{ duration: 30_000, 'num-containers': 1, 'min-concurrency': 1, capability: { memory: 256, vCores: 1 } }],
    },
  };
  return {
    submit: ['POST', '/apps', 'application-submission-context', null, 260],
    state: ['PUT', `/apps/${standing}/state`, 'appstate', { state: 'RUNNING', diagnostics: 'why' }, 25],
    queue: ['PUT', `/apps/${standing}/queue`, 'appqueue', { queue: 'default' }, 25],
    priority: ['PUT', `/apps/${standing}/priority`, 'applicationpriority', { priority: 2 }, 25],
    timeout: ['PUT', `/apps/${standing}/timeout`, 'timeout', { type: 'LIFETIME', expiryTime: '2099-01-01T00:00:00.000+0000' }, 40],
    labels: [
      'POST',
      '/add-node-labels',
      'nodeLabelsInfo',
      {
        nodeLabelInfo: [
          { name: 'la', exclusivity: true, partitionInfo: { resourceAvailable: { memory: 1, vCores: 1 } } },
          { name: 'lb', exclusivity: false },
        ],
      },
      45,
    ],
    replaceAll: [
      'POST',
      '/replace-node-to-labels',
      'nodeToLabelsEntryList',
      { nodeToLabels: [{ nodeId: 'elsewhere:1', labels: ['la'] }] },
      35,
    ],
    size: ['POST', `/nodes/${node}/resource`, 'resourceOption', { resource: { memory: 8192, vCores: 8 }, overCommitTimeout: -1 }, 35],
    conf: [
      'PUT',
      '/scheduler-conf',
      'sched-conf',
      {
        'update-queue': [{ 'queue-name': 'root.default', params: { entry: [{ key: 'maximum-applications', value: '77' }] } }],
        'global-updates': { entry: [{ key: 'a', value: 'b' }] },
        subClusterId: 'x',
      },
      60,
    ],
    validate: [
      'POST',
      '/scheduler-conf/validate',
      'sched-conf',
      { 'add-queue': [{ 'queue-name': 'root.nn', params: { entry: [{ key: 'capacity', value: '0' }] } }], 'remove-queue': 'root.nowhere' },
      40,
    ],
    token: [
      'POST',
      '/delegation-token',
      'delegation-token',
      { renewer: 'bob', token: 'x', owner: 'o', kind: 'k', 'expiration-time': 5, 'max-validity': 6 },
      25,
    ],
    reserve: [
      'POST',
      '/reservation/submit',
      'reservation-submission-context',
      { queue: 'operations', 'reservation-id': '', 'reservation-definition': definition },
      90,
    ],
    reupdate: [
      'POST',
      '/reservation/update',
      'reservation-update-context',
      { 'reservation-id': `reservation_${stamp}_0099`, 'reservation-definition': definition },
      40,
    ],
    redelete: ['POST', '/reservation/delete', 'reservation-delete-context', { 'reservation-id': `reservation_${stamp}_0099` }, 25],
  };
}
