// Bodies of every change, right ones changed at random in one place or two, as JSON and as XML.
import { clear, get, masks, named, RM } from '../kit-apps.mjs';
import { changed, kindsOf, submission, xmlOf } from './body-steps.mjs';
import { choices } from './choices.mjs';

export default {
  name: 'rm-bodies-random',
  cluster: 'capacity',
  fresh: true,
  about: 'bodies of changes that are wrong in random places, in JSON and XML',
  async run(c) {
    const r = choices(Number(process.env['HEDDLE_PEERS_SEED'] ?? 77));
    masks(c);
    c.mask(/reservation_\d{10,}_\d+/g, 'reservation_N');
    c.mask(/(?<="|>)[A-Za-z0-9_-]{60,}(?="|<)/g, '{token}');
    await clear(c);
    const node = (await get(c, '/nodes')).nodes.node[0].id;
    let apps = 0;
    const standing = named(
      c,
      'standing',
      (await c.http('rm', 'POST', `${RM}/apps/new-application`, { user: 'root' })).json['application-id'],
    );
    await c.http('rm', 'POST', `${RM}/apps`, {
      user: 'root',
      body: { 'application-id': standing, 'unmanaged-AM': true, queue: 'default' },
    });
    await c.until('it stands', async () => (await get(c, `/apps/${standing}`)).app?.state === 'ACCEPTED');
    const t0 = Math.ceil(Date.now() / 1000) * 1000 + 7_200_000;
    c.name('from', String(t0));
    c.name('to', String(t0 + 60_000));
    const stamp = c.name('stamp', standing.split('_')[1]);
    const kinds = kindsOf({ standing, node, stamp, from: t0 });
    const only = process.env['HEDDLE_PEERS_KINDS']?.split(',');
    for (const [kind, [method, path, root, right, count]] of Object.entries(kinds)) {
      if (only && !only.includes(kind)) continue;
      for (let n = 0; n < count; n++) {
        let base = right,
          id;
        if (kind === 'submit') {
          id = named(
            c,
            `app${apps++}`,
            (await c.http('rm', 'POST', `${RM}/apps/new-application`, { user: 'root' })).json['application-id'],
          );
          base = submission(id);
        }
        if (kind === 'reserve')
          base = {
            ...right,
            'reservation-id': (await c.http('rm', 'POST', `${RM}/reservation/new-reservation`, { user: 'root' })).json['reservation-id'],
          };
        let body = n === 0 ? base : changed(r, base);
        if (n && r.chance(0.3) && body && typeof body === 'object') body = changed(r, body);
        // An arrival long ago makes Hadoop look at every moment since, for minutes.
        const given = body?.['reservation-definition'];
        if (given && typeof given === 'object' && !Array.isArray(given))
          for (const k of ['arrival', 'deadline']) if (!(Number(given[k]) > 1e12)) given[k] = right['reservation-definition'][k];
        const asXml = n % 3 === 2;
        const text = asXml
          ? body && typeof body === 'object' && !Array.isArray(body)
            ? xmlOf(root, body)
            : xmlOf(root, { x: body })
          : JSON.stringify(body);
        const { status } = await c.record(`${kind}.${n}`, 'rm', method, RM + path, {
          user: 'root',
          body: text,
          ...(asXml ? { headers: { 'content-type': 'application/xml' }, ...(n % 2 ? { accept: 'application/xml' } : {}) } : {}),
          cut: 3000,
          mask: [
            [/\b\d{13}\b/g, 'N'],
            [/\w{3} \w{3} \d\d \d\d:\d\d:\d\d \w+ \d{4}/g, 'date'],
          ],
          loose: ['memory', 'vCores', 'value', 'expiryTime', 'max-validity', 'expiration-time', 'remainingTimeInSeconds'],
          ...(kind === 'conf' || kind === 'validate' ? { pick: (j) => (j.RemoteException ? j : Object.keys(j)) } : {}),
        });
        if (kind === 'submit' && status < 300) {
          const app = async () => (await get(c, `/apps/${id}`)).app;
          if (await app()) {
            await c.until('it is accepted', async () => /FAILED|KILLED|FINISHED|ACCEPTED/.test((await app()).state), 10).catch(() => 0);
            await c.record(`${kind}.${n}.app`, 'rm', 'GET', `${RM}/apps/${id}`, {
              user: 'root',
              loose: ['state', 'progress', 'runningContainers', 'allocatedMB', 'allocatedVCores'],
              pick: ({ app: a }) => [
                a.name,
                a.applicationType,
                a.queue,
                a.priority,
                a.unmanagedApplication,
                a.applicationTags,
                a.amNodeLabelExpression,
                a.appNodeLabelExpression,
                a.user,
                a.timeouts?.timeout?.map((t) => [t.type, t.expiryTime === 'UNLIMITED']),
              ],
            });
            await c.http('rm', 'PUT', `${RM}/apps/${id}/state`, { user: 'root', body: { state: 'KILLED' } });
          }
        }
        if (kind === 'reserve' && status < 300)
          await c.http('rm', 'POST', `${RM}/reservation/delete`, { user: 'root', body: { 'reservation-id': base['reservation-id'] } });
        if (kind === 'labels' && status < 300) {
          await c.record(`${kind}.${n}.have`, 'rm', 'GET', `${RM}/get-node-labels`, { unordered: ['nodeLabelInfo'] });
          for (const { name } of [(await get(c, '/get-node-labels')).nodeLabelInfo ?? []].flat())
            await c.http('rm', 'POST', `${RM}/remove-node-labels?labels=${encodeURIComponent(name)}`, { user: 'root' });
        }
        if (kind === 'size' && status < 300) {
          await c.sleep(350);
          await c.record(`${kind}.${n}.have`, 'rm', 'GET', `${RM}/nodes/${node}`, { pick: ({ node: x }) => x.totalResource });
          await c.http('rm', 'POST', `${RM}/nodes/${node}/resource`, { user: 'root', body: right });
          await c.sleep(200);
        }
        if (kind === 'conf' && status < 300) {
          await c.record(`${kind}.${n}.have`, 'rm', 'GET', `${RM}/scheduler-conf`, {
            user: 'root',
            pick: (j) =>
              [j.property]
                .flat()
                .map((p) => [p.name, p.value])
                .sort(),
          });
        }
        if (['priority', 'queue', 'state', 'timeout'].includes(kind))
          await c.record(`${kind}.${n}.have`, 'rm', 'GET', `${RM}/apps/${standing}`, {
            user: 'root',
            pick: ({ app: a }) => [a.priority, a.queue, a.state, a.timeouts.timeout.map((t) => [t.type, t.expiryTime])],
          });
      }
    }
  },
};
