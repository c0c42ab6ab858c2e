// What the scenarios of the fair and of the first-in first-out scheduler share: submissions to queues and of sizes, right and wrong.
import { appFacts, get, kill, RM, settled } from '../kit-scheduler.mjs';

/** Submits as ada a master that sleeps; one that is taken is shown once it has settled, and killed. Gives whether it was taken. */
async function trySubmission(c, id, name, members) {
  const { json } = await c.http('rm', 'POST', `${RM}/apps/new-application`, { user: 'ada' });
  const a = c.name(name, json['application-id']);
  c.name(`${name}.n`, a.slice(12));
  const { status } = await c.record(id, 'rm', 'POST', `${RM}/apps`, {
    user: 'ada',
    body: {
      'application-id': a,
      ...members,
      'max-app-attempts': 1,
      'am-container-spec': { commands: { command: 'sleep 600' } },
    },
  });
  if (status >= 300 || !(await get(c, `/apps/${a}`)).app) return false;
  await settled(c, a);
  await c.record(`${id}.app`, 'rm', 'GET', `${RM}/apps/${a}`, { user: 'root', pick: appFacts });
  await kill(c, a);
  return true;
}

/** Submits number `n` to a queue; without one where it is undefined. */
export const tryQueue = (c, n, queue) =>
  trySubmission(c, `queue.${n}`, `q${n}`, {
    'application-name': `q${n}`,
    ...(queue === undefined ? {} : { queue }),
    resource: { memory: 128, vCores: 1 },
  });

/** Submits number `n` with a master of this size. */
export const trySize = (c, n, [memory, vCores], members = {}) =>
  trySubmission(c, `size.${n}`, `s${n}`, { ...members, resource: { memory, vCores } });
