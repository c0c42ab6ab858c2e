// Reservations that lie beside and over each other, chosen at random: submissions, updates, ends, and what the plan then shows.
import { clear, RM } from '../kit-scheduler.mjs';
import { choices } from './choices.mjs';

export default {
  name: 'rm-reservations-random',
  cluster: 'capacity',
  fresh: true,
  about: 'reservations beside and over each other, chosen at random',
  async run(c) {
    const r = choices(Number(process.env['HEDDLE_PEERS_SEED'] ?? 71));
    await clear(c);
    await c.sleep(4000);
    const t0 = Math.ceil(Date.now() / 60_000) * 60_000 + 3_600_000;
    c.mask(/\b\d{13}\b/g, (text) => {
      const d = Number(text) - t0;
      return Math.abs(d) < 3_000_000 ? String(5e12 + d) : text;
    });
    c.mask(/\w{3} \w{3} \d\d \d\d:\d\d:\d\d \w+ \d{4}/g, 'date');
    c.mask(/timestamp="?\d+/g, 'timestamp=N');
    c.mask(/The size of the contract \[\d+/g, 'The size of the contract [N');
    const stamp = await c.http('rm', 'POST', `${RM}/reservation/new-reservation`, { user: 'root' });
    c.name('stamp', stamp.json['reservation-id'].split('_')[1]);
    const post = (id, what, body, options = {}) =>
      c.record(id, 'rm', 'POST', `${RM}/reservation/${what}`, { user: 'root', body, ...options });
    const request = () => ({
      capability: { memory: r.pick([512, 512, 1024, 1500, 700]), vCores: r.pick([1, 1, 1, 1, 1, 2]) },
      'min-concurrency': r.pick([1, 1, 1, 1, 1, 1, 2]),
      'num-containers': r.pick([1, 1, 2, 3, 4]),
      duration: r.pick([10_000, 20_000, 30_000, 60_000, 15_500]),
    });
    const definition = () => {
      const from = r.int(12) * 10_000;
      return {
        arrival: t0 + from,
        deadline: t0 + from + r.pick([30_000, 60_000, 90_000, 120_000, 200_000, 300_000]),
        'reservation-name': r.pick(['a', 'b', 'night']),
        'reservation-requests': {
          'reservation-request-interpreter': r.pick([0, 1, 2, 3, 1, 1]),
          'reservation-request': r.times(1 + r.int(3), request),
        },
        ...(r.chance(0.2) ? { priority: r.int(4) } : {}),
        ...(r.chance(0.12) ? { 'recurrence-expression': r.pick(['3600000', '86400000', '0']) } : {}),
      };
    };
    const live = [];
    const all = (id, query = '') =>
      c.record(id, 'rm', 'GET', `${RM}/reservation/list?queue=operations&include-resource-allocations=true${query}`, {
        user: 'root',
        exact: true,
        loose: ['acceptance-time'],
        unordered: ['reservations'],
      });
    let n = 0;
    for (let step = 0; step < 90; step++) {
      const k = n++;
      const what = live.length > 9 ? r.pick([2, 2, 1, 0]) : r.int(live.length ? 6 : 1);
      if (what === 1) {
        const id = r.pick(live);
        await post(
          `update.${k}`,
          'update',
          { 'reservation-id': id, 'reservation-definition': definition() },
          { user: r.pick(['root', 'root', 'ada']) },
        );
      } else if (what === 2) {
        const at = r.int(live.length);
        const [id] = live.splice(at, 1);
        await post(`delete.${k}`, 'delete', { 'reservation-id': id });
      } else {
        const { json } = await c.http('rm', 'POST', `${RM}/reservation/new-reservation`, { user: 'root' });
        const id = c.name(`r${k}`, json['reservation-id']);
        await post(
          `submit.${k}`,
          'submit',
          {
            queue: r.chance(0.9) ? 'operations' : r.pick(['root.operations', 'default', 'nowhere']),
            'reservation-id': id,
            'reservation-definition': definition(),
          },
          { user: r.pick(['root', 'root', 'ada', 'bob']) },
        );
        live.push(id);
      }
      await all(`plan.${k}`);
      if (r.chance(0.3)) {
        const a = t0 + r.int(30) * 10_000 - 50_000;
        await all(`window.${k}`, `&start-time=${a}&end-time=${a + r.pick([0, 10_000, 50_000, -5000])}`);
      }
      if (live.length && r.chance(0.2)) await all(`one.${k}`, `&reservation-id=${r.pick(live)}`);
    }
  },
};
