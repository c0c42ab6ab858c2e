// A cluster whose nodes are gone, for every scheduler: what is shown, what is taken, and what becomes of it when nodes come back.
import { attempt, container, masks, sleeping, submit, unmanaged } from '../kit-apps.mjs';
import { get, RM, settled, steady } from '../kit-scheduler.mjs';

/**
 * Numbers of the moment in queues of the capacity scheduler: what was released last, the limits of users' masters as they were when the queue was
 * last looked at, and who counts as asking.
 */
export const moments = [
  [/("operation":"last-release","nodeId":")[^"]*(","containerId":")[^"]*(","queue":")[^"]*"/g, '$1?$2?$3?"'],
  [/(<operation>last-release<\/operation><nodeId>)[^<]*(<\/nodeId><containerId>)[^<]*(<\/containerId><queue>)[^<]*/g, '$1?$2?$3?'],
  [/"(userAMResourceLimit|userAmLimit)":\{.*?\]\}\}/g, '"$1":"?"'],
  [/<(userAMResourceLimit|userAmLimit)>.*?<\/\1>/g, '<$1>?</$1>'],
  [/("isActive":|<isActive>)(?:true|false)/g, '$1"?"'],
];

/** Recorders of one cluster. `mask` is for numbers of the queues that differ by the moment. */
export function emptySteps(c, queues, { mask = [] } = {}) {
  masks(c);
  const read = (id, path, options = {}) => c.record(id, 'rm', 'GET', RM + path, { user: 'root', ...options });
  const nodes = async () =>
    (await get(c, '/nodes?states=NEW,RUNNING,UNHEALTHY,DECOMMISSIONING,DECOMMISSIONED,LOST,REBOOTED,SHUTDOWN')).nodes.node ?? [];
  const inState = (node, state) =>
    c.until(`${node} ${state}`, async () => (await nodes()).some((n) => n.id === node && n.state === state), 90);
  const cluster = async (id) => {
    await steady(c);
    await read(`${id}.scheduler`, '/scheduler', { xml: true, mask });
    await read(`${id}.metrics`, '/metrics', { xml: true });
    await read(`${id}.overview`, '/scheduler-overview');
    await read(`${id}.nodes`, '/nodes', { xml: true, loose: ['lastHealthUpdate', 'aggregatedContainersPhysicalMemoryMB'] });
  };
  const app = async (id, of) => {
    await read(`${id}.app`, `/apps/${of}`, { xml: true });
    await read(`${id}.attempts`, `/apps/${of}/appattempts`, { xml: true });
    await read(`${id}.attempt`, `/apps/${of}/appattempts/${attempt(of)}`);
    await read(`${id}.containers`, `/apps/${of}/appattempts/${attempt(of)}/containers`, { xml: true });
    await read(`${id}.container`, `/apps/${of}/appattempts/${attempt(of)}/containers/${container(of)}`);
  };
  const put = (id, of, path, body, options = {}) =>
    c.record(id, 'rm', 'PUT', `${RM}/apps/${of}${path}`, { user: 'root', body, ...options });
  const end = async (...ids) => {
    for (const id of ids) await c.http('rm', 'PUT', `${RM}/apps/${id}/state`, { user: 'root', body: { state: 'KILLED' } });
    for (const id of ids) await c.appIn(id, 'KILLED', 'FAILED');
    await c.sleep(500);
  };
  /** One application of every kind, submitted one after the other, each looked at. */
  const submitted = async (id) => {
    const all = {};
    for (const [name, spec, user] of [
      ['plain', { ...sleeping(900, 512), queue: queues[0], priority: 2 }, 'ada'],
      ['second', { ...sleeping(900, 1024, 2), queue: queues[0] }, 'ada'],
      ['own', { ...unmanaged, queue: queues[0] }, 'bob'],
      ['other', { ...sleeping(900, 4096), queue: queues[1] }, 'ada'],
      ['nothing', { ...sleeping(900, 0, 0), queue: queues[1] }, 'ada'],
    ]) {
      all[name] = await submit(c, `${id}-${name}`, spec, user);
      await settled(c, all[name]);
      await app(`${id}.${name}`, all[name]);
    }
    await read(`${id}.list`, '/apps?states=ACCEPTED', { xml: true, pick: ({ apps }) => apps.app.sort((a, b) => (a.id < b.id ? -1 : 1)) });
    await read(`${id}.statistics`, '/appstatistics', {
      pick: (j) => j.appStatInfo.statItem.map((s) => [s.state, s.type, s.count]).sort(),
    });
    return all;
  };
  return { read, nodes, inState, cluster, app, put, end, submitted };
}

/** What every scheduler is asked while its only node is gone, and when it is back. */
export async function withoutNodes(c, queues, options) {
  const steps = emptySteps(c, queues, options);
  const { read, nodes, inState, cluster, app, put, end, submitted } = steps;
  const first = c.name('first', (await nodes())[0].id);
  await c.hook('nm-stop', ['0']);
  await inState(first, 'SHUTDOWN');
  await c.sleep(500);
  await cluster('empty');
  await read('empty.gone', `/nodes/${first}`, { xml: true });
  for (const path of ['/scheduler/activities', `/scheduler/activities?nodeId=${first}`, '/scheduler/activities?groupBy=diagnostic'])
    await read(`empty${path.replace(first, 'first')}`, path, { xml: true });
  await c.record('empty.new', 'rm', 'POST', `${RM}/apps/new-application`, { user: 'ada', xml: true, loose: ['application-id'] });
  const all = await submitted('empty');
  await cluster('waiting');
  await read('waiting.activities', `/scheduler/app-activities/${all.plain}`, { xml: true });
  await read('waiting.activities-refresh', `/scheduler/app-activities/${all.plain}?actions=refresh`);
  await c.sleep(1000);
  await read('waiting.activities-get', `/scheduler/app-activities/${all.plain}?actions=get`);
  await put('priority', all.second, '/priority', { priority: 5 });
  await read('priority.after', `/apps/${all.second}`);
  await put('move', all.second, '/queue', { queue: queues[1] });
  await c.sleep(2000);
  await app('moved', all.second);
  await put(
    'timeout',
    all.plain,
    '/timeout',
    { timeout: { type: 'LIFETIME', expiryTime: '2036-01-01T00:00:00.000+0000' } },
    { loose: ['remainingTimeInSeconds'], exact: true },
  );
  await put('signal', all.plain, '/state', { state: 'ACCEPTED' });
  await c.record('signal-container', 'rm', 'POST', `${RM}/containers/${container(all.plain)}/signal/GRACEFUL_SHUTDOWN`, { user: 'root' });
  await c.record('resource', 'rm', 'POST', `${RM}/nodes/${first}/resource`, {
    user: 'root',
    body: { resource: { memory: 1024, vCores: 1 }, overCommitTimeout: -1 },
  });
  await put('kill-own', all.own, '/state', { state: 'KILLED' }, { mask: [[/("state":")[A-Z_]+/, '$1{moment}']] });
  await c.appIn(all.own, 'KILLED');
  await app('killed', all.own);
  await cluster('fewer');
  await c.hook('nm-start', ['0']);
  await inState(first, 'RUNNING');
  for (const name of ['plain', 'second', 'other', 'nothing']) await settled(c, all[name]);
  await c.sleep(1500);
  for (const name of ['plain', 'second', 'other', 'nothing'])
    await c.record(`back.${name}`, 'rm', 'GET', `${RM}/apps/${all[name]}`, { user: 'root', loose: ['remainingTimeInSeconds'] });
  await cluster('back');
  await end(...Object.values(all).filter((id) => id !== all.own));

  // a node without anything to give
  await c.http('rm', 'POST', `${RM}/nodes/${first}/resource`, {
    user: 'root',
    body: { resource: { memory: 0, vCores: 0 }, overCommitTimeout: -1 },
  });
  await c.until('a node of nothing', async () => (await get(c, `/nodes/${first}`)).node.totalResource.memory === 0);
  await c.sleep(700);
  await cluster('nothing');
  await c.record('nothing.new', 'rm', 'POST', `${RM}/apps/new-application`, { user: 'ada', xml: true, loose: ['application-id'] });
  const refused = async (id, more) => {
    const { json } = await c.http('rm', 'POST', `${RM}/apps/new-application`, { user: 'ada' });
    const of = c.name(id, json['application-id']);
    c.name(`${id}.n`, of.slice('application_'.length));
    const { status } = await c.record(id, 'rm', 'POST', `${RM}/apps`, {
      user: 'ada',
      body: { 'application-id': of, ...sleeping(900, 512), ...more },
    });
    if (status !== 202) return [];
    await settled(c, of);
    await app(`${id}.taken`, of);
    return [of];
  };
  const some = [
    ...(await refused('nothing.sized', { queue: queues[0] })),
    ...(await refused('nothing.none', { queue: queues[0], resource: { memory: 0, vCores: 0 } })),
    ...(await refused('nothing.unmanaged', { queue: queues[1], ...unmanaged })),
  ];
  await cluster('nothing-waiting');
  await end(...some);
  await c.http('rm', 'POST', `${RM}/nodes/${first}/resource`, {
    user: 'root',
    body: { resource: { memory: 8192, vCores: 8 }, overCommitTimeout: -1 },
  });
  await c.sleep(1500);
  await cluster('full-again');
  return { ...steps, first };
}
