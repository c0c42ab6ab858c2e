// Lifetimes in queues that limit them: given by the queue, asked for, changed, moved along, over.
import { masks } from '../kit-apps.mjs';
import { clear, RM, settled, sleeper } from '../kit-scheduler.mjs';

export default {
  name: 'rm-lifetimes-more',
  cluster: 'capacity-limits',
  about: 'lifetimes of applications in queues with and without limits, around changes and moves',
  async run(c) {
    masks(c);
    await clear(c);
    /** Times as seconds since the application was submitted, to the nearest ten. */
    const relative = (since) => (text) =>
      text.replace(
        /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}[+-]\d{4}/g,
        (time) => `+${Math.round((Date.parse(time.replace(/(\d\d)(\d\d)$/, '$1:$2')) - since) / 10_000) * 10}`,
      );
    const loose = ['remainingTimeInSeconds'];
    const look = async (id, app) => {
      const { json } = await c.http('rm', 'GET', `${RM}/apps/${app}`, { user: 'root' });
      const since = json.app.startedTime;
      await c.record(`${id}.app`, 'rm', 'GET', `${RM}/apps/${app}`, {
        user: 'root',
        loose,
        pick: ({ app: a }) => [
          a.state,
          a.queue,
          a.timeouts.timeout.map((t) => [t.type, relative(since)(t.expiryTime)]),
          a.diagnostics.replace(/^\[[^\]]*\] /, ''),
        ],
      });
      await c.record(`${id}.timeouts`, 'rm', 'GET', `${RM}/apps/${app}/timeouts`, {
        user: 'root',
        pick: (j) => [j.timeouts.timeout].flat().map((t) => [t.type, relative(since)(t.expiryTime)]),
      });
    };
    const change = async (id, app, seconds) => {
      const { json } = await c.http('rm', 'GET', `${RM}/apps/${app}`, { user: 'root' });
      const since = json.app.startedTime;
      const expiryTime = new Date(since + seconds * 1000).toISOString().replace('Z', '+0000');
      await c.record(id, 'rm', 'PUT', `${RM}/apps/${app}/timeout`, {
        user: 'root',
        body: { timeout: { type: 'LIFETIME', expiryTime } },
        loose,
        pick: (j) =>
          j.timeout
            ? { ...j.timeout, expiryTime: relative(since)(j.timeout.expiryTime) }
            : { ...j, RemoteException: { ...j.RemoteException, message: '' } },
      });
      await look(id, app);
    };
    const put = (id, path, app, body) => c.record(id, 'rm', 'PUT', `${RM}/apps/${app}/${path}`, { user: 'root', body });
    const free = await sleeper(c, 'free', { queue: 'users', user: 'ada', memory: 256 });
    await settled(c, free);
    await look('free', free);
    await change('free-long', free, 5000);
    await put('free-move', 'queue', free, { queue: 'life' });
    await look('free-moved', free);
    await change('free-longer', free, 6000);
    await change('free-short', free, 50);
    await change('free-far', free, 300_000_000);
    await put('free-back', 'queue', free, { queue: 'users' });
    await look('free-backed', free);
    await change('free-again', free, 7000);
    const never = await sleeper(c, 'never', { queue: 'users', user: 'bob', memory: 256 });
    await settled(c, never);
    await put('never-move', 'queue', never, { queue: 'life' });
    await c.sleep(6000);
    await look('never-moved', never);
    await change('never-long', never, 5000);
    const life = await sleeper(c, 'life', { queue: 'life', user: 'eve', memory: 256 });
    await look('life', life);
    await change('life-long', life, 5000);
    await change('life-thirty', life, 30);
    await put('life-move', 'queue', life, { queue: 'users' });
    await look('life-moved', life);
    await change('life-longer', life, 5000);
    const over = await sleeper(c, 'over', { queue: 'root.life', user: 'eve', memory: 256 });
    await c.appIn(over, 'KILLED');
    await look('over', over);
    await c.record('over.whole', 'rm', 'GET', `${RM}/apps/${over}`, { user: 'root', xml: true, loose: ['expiryTime'] });
    await c.record('over.xml', 'rm', 'GET', `${RM}/apps/${over}/timeouts`, {
      user: 'root',
      accept: 'application/xml',
      loose: ['expiryTime'],
    });
    await change('over-change', over, 500);
    const unmanaged = await sleeper(c, 'unmanaged', { queue: 'life', user: 'zoe', 'unmanaged-AM': true });
    await look('unmanaged', unmanaged);
    await c.appIn(unmanaged, 'KILLED');
    await look('unmanaged-over', unmanaged);
    await clear(c);
  },
};
