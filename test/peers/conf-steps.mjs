// What the scenarios about the queue configuration share.
const RM = '/ws/v1/cluster';

/** The members `entry` of a change of the queue configuration. */
export const withEntries = (pairs) => ({ entry: pairs.map(([key, value]) => ({ key, value })) });

/** Brings the queue configuration of the start back; a queue that came since then is stopped first, since a running one cannot go. */
export async function mustReset(c) {
  const format = () => c.http('rm', 'GET', `${RM}/scheduler-conf/format`, { user: 'root' });
  let { status, text } = await format();
  for (let tries = 0; status !== 200 && tries < 9; tries++) {
    const [, queue] = /(root\..+) cannot be deleted/.exec(text) ?? [];
    const [, converted] = /.*?(root\.\S+) to (?:leaf|parent) queue/.exec(text) ?? [];
    if (!queue && !converted) break;
    const params = withEntries(
      converted
        ? [
            ['auto-create-child-queue.enabled', 'false'],
            ['state', 'STOPPED'],
          ]
        : [['state', 'STOPPED']],
    );
    await c.http('rm', 'PUT', `${RM}/scheduler-conf`, {
      user: 'root',
      body: { 'update-queue': { 'queue-name': queue ?? converted, params } },
    });
    ({ status, text } = await format());
  }
  if (status !== 200) throw new Error(`format: ${status} ${text.slice(0, 300)}`);
}

/** What is compared of a queue: everything but its children, of which the names. */
export function queueView(queue) {
  if (!queue) return queue;
  const { queues, users, ...rest } = queue;
  return { ...rest, children: (queues?.queue ?? []).map((child) => child.queuePath).sort() };
}
