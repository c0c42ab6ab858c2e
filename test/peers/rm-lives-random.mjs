// Whole lives of applications, chosen at random: how they are submitted, by whom, what is asked of them while they live and after their end.
import {
  attempt,
  clear,
  command as commanding,
  container,
  ended,
  get,
  kill,
  launched,
  masks,
  moment,
  RM,
  sleeping,
  submit,
} from '../kit-apps.mjs';
import { choices } from './choices.mjs';

const loose = ['progress', 'remainingTimeInSeconds'];

export default {
  name: 'rm-lives-random',
  cluster: 'capacity',
  fresh: true,
  about: 'lives of applications, and what is asked of them meanwhile and afterwards, chosen at random',
  async run(c) {
    const r = choices(Number(process.env['HEDDLE_PEERS_SEED'] ?? 31));
    masks(c);
    await clear(c);
    const users = ['root', 'ada', 'bob', 'admin'];
    const queues = ['default', 'root.default', 'models', 'root.research.models', 'reports', 'root.operations', undefined];
    const far = () => `20${30 + r.int(60)}-0${1 + r.int(9)}-1${r.int(10)}T0${r.int(10)}:00:00.000+0${r.int(9)}00`;
    const specOf = () => ({
      ...r.pick([
        () => sleeping(900, r.pick([1, 128, 200, 256, 1024, 2048]), r.pick([1, 1, 1, 2])),
        () => sleeping(900, 256),
        () => commanding(`exit ${r.pick([0, 1, 3, 100, 143])}`, r.pick([1, 1, 2])),
        () => commanding('kill -9 $$'),
        () => commanding('echo out; echo err >&2; no-such-command'),
        () => ({ 'unmanaged-AM': true }),
        () => ({ 'unmanaged-AM': true, 'max-app-attempts': 2 }),
      ])(),
      ...(r.chance(0.6) ? { queue: r.pick(queues) } : { queue: 'default' }),
      ...(r.chance(0.3) ? { priority: r.pick([0, 1, 5, 10, 12, -1]) } : {}),
      ...(r.chance(0.3) ? { 'application-tags': { tag: r.pick([['a'], ['B', 'c'], ['x y'], []]) } } : {}),
      ...(r.chance(0.2) ? { 'application-type': r.pick(['SPARK', 'lower', 'a-type-longer-than-twenty-characters', '']) } : {}),
      ...(r.chance(0.2) ? { 'application-name': r.pick(['name', '', 'ü & <b>', ' x ']) } : {}),
      ...(r.chance(0.2) ? { 'application-timeouts': { entry: [{ key: 'LIFETIME', value: r.pick([3000, 100000, 9999999]) }] } } : {}),
      ...(r.chance(0.2) ? { 'keep-containers-across-application-attempts': true } : {}),
      ...(r.chance(0.1) ? { 'app-node-label-expression': r.pick(['', '*', 'gpu']) } : {}),
      ...(r.chance(0.1)
        ? { 'log-aggregation-context': { 'log-include-pattern': 'std.*', 'rolled-log-include-pattern': r.pick(['', 'std.*']) } }
        : {}),
    });
    const looks = async (name, id, user) => {
      const xml = r.chance(0.3);
      await c.record(`${name}.app`, 'rm', 'GET', `${RM}/apps/${id}`, { user, loose, xml });
      await c.record(`${name}.attempts`, 'rm', 'GET', `${RM}/apps/${id}/appattempts`, { user, xml });
      await c.record(`${name}.attempt`, 'rm', 'GET', `${RM}/apps/${id}/appattempts/${attempt(id)}`, { user });
      await c.record(`${name}.containers`, 'rm', 'GET', `${RM}/apps/${id}/appattempts/${attempt(id)}/containers`, { user, xml });
      await c.record(`${name}.container`, 'rm', 'GET', `${RM}/apps/${id}/appattempts/${attempt(id)}/containers/${container(id)}`, { user });
    };
    const asks = (id) => {
      const put = (what, body) => ['PUT', `${RM}/apps/${id}/${what}`, body, what === 'state' ? moment : {}];
      return r.pick([
        () => put('queue', { queue: r.pick(['default', 'root.default', 'models', 'reports', 'root.research', 'nowhere', '']) }),
        () => put('priority', { priority: r.pick([0, 1, 7, 10, 11, -3, '4', 'x']) }),
        () =>
          put('timeout', {
            timeout: {
              type: r.pick(['LIFETIME', 'LIFETIME', 'lifetime', 'X']),
              expiryTime: r.pick([far(), far(), '2000-01-01T00:00:00.000+0000', 'UNLIMITED', '']),
            },
          }),
        () => put('state', { state: r.pick(['RUNNING', 'ACCEPTED', 'FINISHED', 'FAILED', 'killed', 'X', '']) }),
        () => [
          'GET',
          `${RM}/apps/${id}/${r.pick(['state', 'queue', 'priority', 'timeouts', 'timeouts/LIFETIME', 'timeouts/lifetime', 'timeout'])}`,
        ],
        () => [
          'GET',
          `${RM}/apps/${id}?deSelects=${r.pick(['resourceRequests', 'timeouts', 'resourceInfo', 'amNodeLabelExpression', 'resourceRequests,timeouts,resourceInfo'])}`,
          undefined,
          { loose },
        ],
        () => ['POST', `${RM}/containers/${container(id)}/signal/${r.pick(['OUTPUT_THREAD_DUMP', 'GRACEFUL_SHUTDOWN_', 'x'])}`],
      ])();
    };
    const count = Number(process.env['HEDDLE_PEERS_COUNT'] ?? 24);
    for (let n = 0; n < count; n++) {
      const user = r.pick(users);
      const name = `a${n}`;
      const spec = specOf();
      const command = spec['am-container-spec']?.commands.command ?? 'sleep';
      const id = await submit(c, name, spec, user).catch(() => undefined);
      if (!id) continue;
      await c
        .until(
          `${id} is somewhere`,
          async () => {
            const { app } = await get(c, `/apps/${id}`);
            return (
              ['FAILED', 'FINISHED', 'KILLED'].includes(app.state) ||
              (/^sleep/.test(command) && app.runningContainers === 1 && app.memorySeconds > 0) ||
              app.unmanagedApplication
            );
          },
          /^sleep/.test(command) ? 12 : 60,
        )
        .catch(() => 0);
      const { app } = await get(c, `/apps/${id}`);
      if (['FAILED', 'FINISHED', 'KILLED'].includes(app.state)) await ended(c, id);
      else if (app.state === 'ACCEPTED' && (app.unmanagedApplication || app.runningContainers === 1)) await launched(c, id);
      else await c.sleep(1500);
      await looks(`${name}.lives`, id, r.pick([user, 'root', 'ada']));
      for (let k = 0; k < 4; k++) {
        const [method, path, body, more = {}] = asks(id);
        await c.record(`${name}.ask${k}`, 'rm', method, path, { user: r.pick([user, user, 'root', 'bob']), body, loose, ...more });
      }
      await c.record(`${name}.then`, 'rm', 'GET', `${RM}/apps/${id}`, { user: 'root', loose: [...loose, 'diagnostics'] });
      await kill(c, id);
      await looks(`${name}.dead`, id, 'root');
      for (let k = 0; k < 2; k++) {
        const [method, path, body, more = {}] = asks(id);
        await c.record(`${name}.after${k}`, 'rm', method, path, { user: r.pick([user, 'root']), body, loose, ...more });
      }
    }
    for (const query of [
      'states=finished,KILLED,FAILED',
      'user=ada',
      'queue=default',
      'queue=root.research',
      'finalStatus=KILLED',
      'applicationTypes=SPARK,YARN',
      'applicationTags=b',
      'name=name',
    ])
      await c.record(`list.${query}`, 'rm', 'GET', `${RM}/apps?${query}`, {
        user: 'root',
        pick: ({ apps }) => (apps?.app ?? []).map((a) => [a.id, a.state, a.finalStatus, a.queue, a.priority]).sort(),
      });
    await c.record('statistics', 'rm', 'GET', `${RM}/appstatistics`, { user: 'root' });
    await c.record('metrics', 'rm', 'GET', `${RM}/metrics`, { user: 'root' });
  },
};
