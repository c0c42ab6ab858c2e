// Activities with every parameter, in other forms and combinations, of nodes and of applications that wait for different reasons.
import { masks } from '../kit-apps.mjs';
import { clear, get, kill, launched, prime, RM, sleeper, steady, waiting } from '../kit-scheduler.mjs';

export default {
  name: 'rm-activities-more',
  cluster: 'capacity',
  about: 'activities of the scheduler: parameters, forms, reasons',
  async run(c) {
    masks(c);
    await clear(c);
    await prime(c, 'default', 'models', 'reports');
    const node = c.name('node', (await get(c, '/nodes?states=RUNNING')).nodes.node[0].id);
    const host = node.split(':')[0];
    const unordered = ['nodeIds'];
    const read = (id, path, options = {}) => c.record(id, 'rm', 'GET', `${RM}/scheduler/${path}`, { unordered, ...options });
    // The first reading arms the recording; the one that counts has what is looked for.
    const armed = async (id, path, good, options = {}) => {
      await c.http('rm', 'GET', `${RM}/scheduler/${path}`, { accept: 'application/json' });
      await c.until(
        id,
        async () => {
          await c.sleep(300);
          return good((await c.http('rm', 'GET', `${RM}/scheduler/${path}`, { accept: 'application/json' })).json);
        },
        30,
      );
      await read(id, path, options);
    };
    const idle = (j) => !/waiting/i.test(j.activities?.diagnostic ?? '');
    const some = (j) => j.activities?.allocations;

    await armed('idle', 'activities', idle, { xml: true });
    await armed('idle-node', `activities?nodeId=${node}`, idle, { xml: true });
    await armed('idle-grouped', 'activities?groupBy=diagnostic', idle, { xml: true });
    for (const [n, query] of [
      'nodeId=',
      'nodeId=%20',
      `nodeId=%20${node}`,
      `nodeId=${node}%20`,
      `nodeId=${host}:`,
      `nodeId=${host}:1`,
      `nodeId=${host}:x`,
      `nodeId=:${node.split(':')[1]}`,
      `nodeId=${host.toUpperCase()}`,
      `nodeId=${node.replace(':', '%3A')}`,
      'nodeId=*',
      'nodeId=127.0.0.1',
      'nodeId=a:1&nodeId=b:2',
      `nodeId=a:1&nodeId=${node}`,
      `NodeId=a:1`,
      'nodeid=a:1',
      'nodeId=%3Cb%3E',
      'nodeId=ü',
      'groupBy=',
      'groupBy=%20',
      'groupBy=diagnostic%20',
      'groupBy=Diagnostic&groupBy=x',
      'groupBy=x&groupBy=diagnostic',
      'groupBy=DIAGNOSTIC,DIAGNOSTIC',
      'groupBy=%3Cb%3E',
      'groupby=x',
      'groupBy=x&nodeId=a:1',
      'groupBy=NULL',
      'groupBy',
      'nodeId',
    ].entries())
      await read(`node-query.${n}`, `activities?${query}`, {
        pick: (j) => (j.RemoteException || /a:1|ü|%3C|127|\*|:x|:1/.test(query) ? j : Object.keys(j)),
      });
    for (const [n, query] of [
      'activitiesCount=',
      'activitiesCount=%20',
      'activitiesCount=0',
      'activitiesCount=-1',
      'activitiesCount=1%20',
      'activitiesCount=%2B1',
      'activitiesCount=1.5',
      'activitiesCount=1e1',
      'activitiesCount=0x1',
      'activitiesCount=99999999999',
      'activitiesCount=99999999999999999999',
      'activitiesCount=x',
      'activitiesCount=1&activitiesCount=x',
      'activitiesCount=x&activitiesCount=1',
      'ActivitiesCount=x',
      'activitiesCount=1&groupBy=x',
      'activitiesCount=1&groupBy=',
      'activitiesCount=x&groupBy=x',
      'activitiesCount=1&groupBy=Diagnostic',
      'nodeId=a:1&activitiesCount=1',
      'activitiesCount',
    ].entries())
      await read(`bulk-query.${n}`, `bulk-activities?${query}`, {
        pick: (j) => (j.bulkActivities ? [Object.keys(j.bulkActivities), (j.bulkActivities.activities ?? []).length > 0] : j),
      });
    for (const [n, method] of ['POST', 'PUT', 'DELETE', 'HEAD', 'OPTIONS'].entries())
      for (const path of ['activities', 'bulk-activities', 'app-activities/application_1_0001', 'app-activities', 'logs', 'nothing'])
        await c.record(`method.${n}.${path.replaceAll('/', '-')}`, 'rm', method, `${RM}/scheduler/${path}`, {
          user: 'root',
          cut: 200_000,
          ...(n < 2 ? { body: {} } : {}),
        });

    // one that runs, one held back by the limit for masters, one without room, one of a user at its limit
    const share = (value) =>
      c.http('rm', 'PUT', `${RM}/scheduler-conf`, {
        user: 'root',
        body: { 'global-updates': { entry: [{ key: 'yarn.scheduler.capacity.maximum-am-resource-percent', value }] } },
      });
    await share('1');
    const wait = await sleeper(c, 'filler', { user: 'ada', memory: 4096, queue: 'default' });
    await launched(c, wait);
    const more = await sleeper(c, 'more', { user: 'bob', memory: 2048, queue: 'reports' });
    await launched(c, more);
    const quick = ({ json }) => json?.appActivities;
    const of = (id) => `app-activities/${id}`;
    const master = await sleeper(c, 'master', { user: 'eve', memory: 4096, queue: 'default', priority: 3 });
    await waiting(c, master);
    await steady(c);
    await armed('cluster', 'activities', some, { xml: true });
    await armed('node', `activities?nodeId=${node}`, some, { xml: true });
    await armed('node-grouped', `activities?nodeId=${node}&groupBy=DIAGNOSTIC`, some, { xml: true });
    await armed('host-grouped', `activities?nodeId=${host}&groupBy=diagnostic`, some);
    await armed('cluster-text', 'activities', some, { accept: 'application/json;q=0.5, text/html;q=0.1' });
    await armed('cluster-user', 'activities', some, { user: 'zoe' });
    const stable = ({ bulkActivities }) => bulkActivities.activities.slice(0, 1).map(({ timestamp, dateTime, ...a }) => a);
    await read('bulk', 'bulk-activities?activitiesCount=1', { pick: stable });
    await read('bulk-grouped', 'bulk-activities?activitiesCount=1&groupBy=diagnostic', { pick: stable });
    await read('bulk-many', 'bulk-activities?activitiesCount=3', {
      pick: ({ bulkActivities }) => bulkActivities.activities.slice(0, 3).map(({ timestamp, dateTime, ...a }) => a),
    });

    const app = of(master);
    await read('refresh', `${app}?actions=refresh`, { xml: true });
    await c.until(
      'app activities',
      async () => {
        await c.sleep(300);
        return (await c.http('rm', 'GET', `${RM}/scheduler/${app}?actions=get`)).json.appActivities.allocations?.length;
      },
      30,
    );
    for (const [n, query] of [
      'actions=get&limit=1',
      'actions=GET&limit=1',
      'actions=get&actions=get&limit=1',
      'actions=get,get&limit=1',
      'actions=get,refresh&limit=1',
      'actions=refresh,get&limit=1',
      'actions=REFRESH',
      'actions=refresh&actions=get&limit=1',
      'actions=Get%20&limit=1',
      'actions=&limit=1',
      'actions=get,&limit=1',
      'actions=,get&limit=1',
      'actions=get,x&limit=1',
      'actions=x&limit=1',
      'actions=x&actions=get&limit=1',
      'actions=%20&limit=1',
      'Actions=x&limit=1',
      'limit=1&actions=get&groupBy=diagnostic',
      'limit=1&actions=get&groupBy=Diagnostic',
      'limit=1&actions=get&groupBy=',
      'limit=1&actions=get&groupBy=x',
      'limit=1&actions=get&groupBy=diagnostic&groupBy=x',
      'limit=&actions=get',
      'limit=%20&actions=get',
      'limit=-1&actions=get',
      'limit=0&actions=get',
      'limit=1.5&actions=get',
      'limit=%2B1&actions=get',
      'limit=01&actions=get',
      'limit=1%20&actions=get',
      'limit=99999999999&actions=get',
      'limit=x&actions=get',
      'limit=1&limit=x&actions=get',
      'limit=x&limit=1&actions=get',
      'Limit=x&limit=1&actions=get',
      'limit=1&maxTime=&actions=get',
      'limit=1&maxTime=%20&actions=get',
      'limit=1&maxTime=0&actions=get',
      'limit=1&maxTime=-1&actions=get',
      'limit=1&maxTime=3&actions=get',
      'limit=1&maxTime=0.5&actions=get',
      'limit=1&maxTime=3s&actions=get',
      'limit=1&maxTime=1e3&actions=get',
      'limit=1&maxTime=%2B3&actions=get',
      'limit=1&maxTime=NaN&actions=get',
      'limit=1&maxTime=Infinity&actions=get',
      'limit=1&maxTime=0x1p3&actions=get',
      'limit=1&maxTime=3d&actions=get',
      'limit=1&maxTime=3f&actions=get',
      'limit=1&maxTime=99999999999999999999&actions=get',
      'limit=1&maxTime=x&maxTime=3&actions=get',
      'limit=1&requestPriorities=3&actions=get',
      'limit=1&requestPriorities=0&actions=get',
      'limit=1&requestPriorities=0,3&actions=get',
      'limit=1&requestPriorities=3&requestPriorities=0&actions=get',
      'limit=1&requestPriorities=&actions=get',
      'limit=1&requestPriorities=,&actions=get',
      'limit=1&requestPriorities=0,&actions=get',
      'limit=1&requestPriorities=%200&actions=get',
      'limit=1&requestPriorities=-1&actions=get',
      'limit=1&requestPriorities=1.5&actions=get',
      'limit=1&requestPriorities=0,x&actions=get',
      'limit=1&requestPriorities=x&requestPriorities=0&actions=get',
      'limit=1&requestPriorities=99999999999&actions=get',
      'limit=1&requestPriorities=%2B0&actions=get',
      'limit=1&requestPriorities=00&actions=get',
      'limit=1&allocationRequestIds=-1&actions=get',
      'limit=1&allocationRequestIds=0&actions=get',
      'limit=1&allocationRequestIds=-1,0&actions=get',
      'limit=1&allocationRequestIds=&actions=get',
      'limit=1&allocationRequestIds=%20-1&actions=get',
      'limit=1&allocationRequestIds=x&actions=get',
      'limit=1&allocationRequestIds=1.5&actions=get',
      'limit=1&allocationRequestIds=99999999999&actions=get',
      'limit=1&allocationRequestIds=99999999999999999999&actions=get',
      'limit=1&requestPriorities=0&allocationRequestIds=-1&actions=get',
      'limit=1&requestPriorities=0&allocationRequestIds=5&actions=get',
      'limit=1&requestPriorities=x&allocationRequestIds=y&actions=get',
      'limit=1&requestPriorities=x&maxTime=y&actions=get',
      'limit=x&maxTime=y&actions=z&groupBy=w',
      'limit=x&requestPriorities=y&actions=get',
      'limit=x&actions=z',
      'maxTime=x&groupBy=w',
      'groupBy=w&actions=z',
      'limit=1&summarize=true&actions=get',
      'limit=1&summarize=TRUE&actions=get',
      'limit=1&summarize=&actions=get',
      'limit=1&summarize=x&actions=get',
      'limit=1&summarize=1&actions=get',
      'limit=1&summarize=%20true&actions=get',
      'limit=1&summarize=false&summarize=true&actions=get',
      'limit=1&summarize=true&groupBy=diagnostic&actions=get',
      'limit=5&summarize=true&maxTime=1&actions=get',
      'summarize=true&requestPriorities=5&actions=get',
      'summarize=true&requestPriorities=0&groupBy=diagnostic&actions=get',
      'summarize=true&limit=x',
      'limit=1&actions=get&nodeId=a:1',
      'limit=1&actions=get&x=y',
    ].entries())
      await read(`app-query.${n}`, `${app}?${query}`, {
        pick:
          /limit=1\b/.test(query) || /limit=1$/.test(query) || /summarize|x|w$/.test(query)
            ? undefined
            : (j) => (j.RemoteException ? j : [Object.keys(j.appActivities), (j.appActivities.allocations?.length ?? 0) > 0]),
        ...(n % 4 === 0 && /limit=1&|summarize/.test(query) ? { xml: true } : {}),
      });
    for (const [n, id] of [
      'application_1_0001',
      'application_1_1',
      'application_9',
      'application_x_y',
      'application_1_x',
      'application_1_0001_1',
      'application_-1_1',
      'application_1_-1',
      'application_99999999999999999999_1',
      'application_1_99999999999',
      'Application_1_0001',
      'job_1_0001',
      'app',
      '_',
      '%20',
      '%20application_1_0001',
      'application_1_0001%20',
      'application_1_0001;a=b',
      'application_1_0001/',
      'application_1_0001/x',
      'a%2Fb',
      '%3Cb%3E',
      'ü',
      '',
    ].entries())
      for (const query of ['', '?actions=get', '?actions=x', '?maxTime=x'])
        await read(`app-id.${n}${query}`, `app-activities/${encodeURI(id).replaceAll('%25', '%')}${query}`, {
          cut: 200_000,
          ...(query ? {} : { xml: true }),
        });
    const short = c.name('short', master.replace(/_0+(\d+)$/, '_$1'));
    await read('app-short', `app-activities/${short}?limit=1&actions=get`);
    await read('app-stranger', `${app}?limit=1&actions=get`, { user: 'zoe' });
    await read('app-nobody', `${app}?limit=1&actions=get`, { user: undefined });
    for (const [n, accept] of [
      'application/xml',
      'text/xml',
      'text/plain',
      '*/*',
      'application/*',
      'application/xml;q=0.9,application/json',
      'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8',
    ].entries())
      await read(`app-accept.${n}`, `${app}?limit=1&actions=get`, { accept, cut: 200_000 });

    const held = await sleeper(c, 'held', { user: 'zoe', memory: 4096, queue: 'default' });
    await waiting(c, held);
    await steady(c);
    for (const [name, id] of Object.entries({ filler: wait, held })) {
      await read(`${name}-first`, of(id), { xml: true });
      await c.until(name, async () => {
        await c.sleep(400);
        return quick(await c.http('rm', 'GET', `${RM}/scheduler/${of(id)}?actions=get`));
      });
      await read(`${name}-then`, `${of(id)}?actions=get&limit=1`, { xml: true });
      await read(`${name}-grouped`, `${of(id)}?actions=get&limit=1&groupBy=diagnostic`);
      await read(`${name}-summary`, `${of(id)}?actions=get&summarize=true`);
      await read(`${name}-priority`, `${of(id)}?actions=get&requestPriorities=0`);
    }
    await armed('limited', 'activities', idle, { xml: true });
    await kill(c, held);
    await c.appIn(held, 'KILLED');

    // how it was given what it waited for, and what is kept of an application that ended
    await read('running-first', of(more));
    await c.sleep(700);
    await read('running', `${of(more)}?actions=get`, { xml: true });
    await kill(c, wait);
    await launched(c, master);
    await c.sleep(500);
    await read('given', `${app}?limit=1&actions=get`, { xml: true });
    await read('given-grouped', `${app}?limit=1&groupBy=diagnostic&actions=get`, { xml: true });
    await read('given-summary', `${app}?summarize=true&actions=get`, {
      pick: ({ appActivities: a }) => [a.applicationId, a.allocations?.length],
    });
    await kill(c, master);
    await c.appIn(master, 'KILLED');
    await read('ended', `${app}?limit=1&actions=get`);
    await read('ended-refresh', `${app}?actions=refresh`);
    await read('ended-again', `${app}?limit=1`, { xml: true });
    const refused = await sleeper(c, 'refused', { user: 'eve', memory: 512, queue: 'nowhere' });
    await c.appIn(refused, 'FAILED');
    await read('refused', of(refused), { xml: true });
    const own = await sleeper(c, 'own', { user: 'ada', queue: 'models', 'unmanaged-AM': true });
    await c.sleep(1500);
    await read('own-first', of(own));
    await c.sleep(700);
    await read('own', `${of(own)}?actions=get`, { xml: true });
    await clear(c);

    // other reasons: a node label that no node has, a queue that is stopped, a request above the queue's own size
    const labelled = await sleeper(c, 'labelled', { user: 'ada', queue: 'models', memory: 512, 'am-container-node-label-expression': '' });
    await launched(c, labelled);
    await read('labelled-first', of(labelled));
    await c.sleep(500);
    await read('labelled', `${of(labelled)}?actions=get`);
    const conf = (body) => c.http('rm', 'PUT', `${RM}/scheduler-conf`, { user: 'root', body });
    await conf({
      'update-queue': { 'queue-name': 'root.research.models', params: { entry: [{ key: 'user-limit-factor', value: '0.3' }] } },
    });
    const limited = await sleeper(c, 'limited', { user: 'ada', queue: 'models', memory: 1024 });
    await waiting(c, limited);
    await read('limit-first', of(limited));
    await c.sleep(800);
    await read('limit', `${of(limited)}?limit=1&actions=get`, { xml: true });
    await armed('limit-cluster', 'activities', idle, { xml: true });
    await conf({
      'update-queue': {
        'queue-name': 'root.research.models',
        params: {
          entry: [
            { key: 'user-limit-factor', value: '1' },
            { key: 'capacity', value: '60' },
            { key: 'maximum-capacity', value: '60' },
          ],
        },
      },
    });
    const filler2 = await sleeper(c, 'filler2', { user: 'ada', queue: 'models', memory: 768 });
    const filler3 = await sleeper(c, 'filler3', { user: 'root', queue: 'models', memory: 1024 });
    await c.sleep(2500);
    for (const [name, id] of Object.entries({ limited, filler2, filler3 }))
      await c.record(`full.${name}`, 'rm', 'GET', `${RM}/apps/${id}`, {
        user: 'root',
        pick: ({ app: a }) => [a.state, a.allocatedMB, a.diagnostics.replace(/^\[[^\]]*\] /, '[date] ')],
      });
    for (const [name, id] of Object.entries({ limited, filler2, filler3 })) {
      await c.http('rm', 'GET', `${RM}/scheduler/${of(id)}`);
      await c.sleep(700);
      await read(`full-activities.${name}`, `${of(id)}?limit=1&actions=get`);
    }
    await armed('full', 'activities', idle);
    await armed('full-grouped', 'activities?groupBy=diagnostic', idle, { xml: true });
    await conf({ 'update-queue': { 'queue-name': 'root.research.models', params: { entry: [{ key: 'state', value: 'STOPPED' }] } } });
    await c.sleep(500);
    await armed('stopped', 'activities', idle);
    await clear(c);
    const logs = (id, form, options = {}) =>
      c.record(id, 'rm', 'POST', `${RM}/scheduler/logs`, {
        user: 'root',
        body: form,
        headers: { 'content-type': 'application/x-www-form-urlencoded' },
        ...options,
      });
    for (const [n, form] of [
      'time=',
      'time=%20',
      'time=2%20',
      'time=%2B2',
      'time=2.5',
      'time=1e1',
      'time=99999999999',
      'time=2147483647',
      'time=2&time=x',
      'time=x&time=2',
      'Time=2',
      'time',
      '',
      'time=-1',
      'time=0',
      '{"time":2}',
      'x',
    ].entries())
      for (const accept of ['application/json', 'application/xml', 'text/plain'])
        await logs(`logs.${n}.${accept.slice(-5)}`, form, { accept });
    await logs('logs-query', '', { accept: 'application/json' });
    await c.record('logs-in-query', 'rm', 'POST', `${RM}/scheduler/logs?time=2`, {
      user: 'root',
      body: '',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
    });
    for (const user of ['ada', undefined, 'admin'])
      for (const form of ['time=2', 'time=x', '']) await logs(`logs-of.${user}.${form}`, form, { user });
    await c.http('rm', 'GET', `${RM}/scheduler-conf/format`, { user: 'root' });
  },
};
