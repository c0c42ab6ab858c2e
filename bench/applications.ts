import { setTimeout as sleep } from 'node:timers/promises';
import { call, getJson } from './measure.ts';

/** The base of the resource manager's interface. */
export const cluster = (url: string) => `${url}/ws/v1/cluster`;

/** Submits an application by REST: a new id, then the submission. Returns the id. */
export async function submit(rm: string, specification: Record<string, unknown>, user = 'root'): Promise<string> {
  const fresh = await call('POST', `${cluster(rm)}/apps/new-application?user.name=${user}`);
  const id = (JSON.parse(fresh.text) as Record<string, string>)['application-id'] ?? '';
  const answer = await call('POST', `${cluster(rm)}/apps?user.name=${user}`, { 'application-id': id, ...specification });
  if (answer.status !== 202) throw new Error(`submit: ${answer.status} ${answer.text.slice(0, 300)}`);
  return id;
}

/** An application whose master is `command`; without one it has no master in the cluster and waits for one outside it. */
export function specification(command?: string, more: Record<string, unknown> = {}): Record<string, unknown> {
  return {
    'application-name': 'bench',
    'application-type': 'BENCH',
    'max-app-attempts': 1,
    resource: { memory: 256, vCores: 1 },
    ...(command === undefined ? { 'unmanaged-AM': true } : { 'am-container-spec': { commands: { command } } }),
    ...more,
  };
}

/** Polls an application until it has ended; its final report. */
export async function ended(rm: string, id: string, everyMs = 3): Promise<{ state: string; finalStatus: string }> {
  for (;;) {
    const { app } = await getJson<{ app: { state: string; finalStatus: string } }>(`${cluster(rm)}/apps/${id}`);
    if (['FINISHED', 'FAILED', 'KILLED'].includes(app.state)) return app;
    await sleep(everyMs);
  }
}

/** Submits `count` applications that wait for a master, `clients` at a time. */
export async function fill(rm: string, count: number, clients = 16): Promise<void> {
  let left = count;
  await Promise.all(
    Array.from({ length: clients }, async () => {
      while (left-- > 0) await submit(rm, specification());
    }),
  );
}
