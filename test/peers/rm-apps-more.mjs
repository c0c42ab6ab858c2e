// Submissions with odd members and ids. Some never leave the store of real Hadoop: nothing can come after them.
import { fresh, get, masks, RM, unmanaged } from '../kit-apps.mjs';
import { clear } from '../kit-scheduler.mjs';
import { ids, members } from './submission-members.mjs';

export default {
  name: 'rm-apps-more',
  cluster: 'capacity',
  about: 'odd submissions and ids',
  async run(c) {
    masks(c);
    await clear(c);
    const post = (name, body, options = {}) => c.record(name, 'rm', 'POST', `${RM}/apps`, { user: 'root', body, ...options });
    const view = ({ app }) => {
      if (!app) return app;
      const { resourceRequests, resourceInfo, ...rest } = app;
      return { ...rest, diagnostics: app.diagnostics.replace(/^\[[^\]]*\d{4}\] /, '[date] '), requests: resourceRequests?.length };
    };
    for (const [n, more] of members.entries()) {
      const id = await fresh(c, `m${n}`);
      const { status } = await post(`member.${n}`, { 'application-id': id, ...unmanaged, ...more });
      if (status >= 300) continue;
      await c
        .until(
          `${id}`,
          async () => {
            const { app } = await get(c, `/apps/${id}`);
            return (
              app.state !== 'NEW' &&
              app.state !== 'NEW_SAVING' &&
              app.state !== 'SUBMITTED' &&
              (app.state === 'FAILED' ||
                app.amHostHttpAddress ||
                app.unmanagedApplication === false ||
                (await get(c, `/apps/${id}/appattempts`)).appAttempts.appAttempt?.at(-1)?.appAttemptState === 'LAUNCHED')
            );
          },
          8,
        )
        .catch(() => {});
      if ((await get(c, `/apps/${id}`)).app.unmanagedApplication)
        await c.record(`member.${n}.app`, 'rm', 'GET', `${RM}/apps/${id}`, { user: 'root', pick: view });
      else
        await c.record(`member.${n}.app`, 'rm', 'GET', `${RM}/apps/${id}`, {
          user: 'root',
          pick: ({ app }) => [app.unmanagedApplication, app.name, app.queue, app.priority],
        });
      await c.http('rm', 'PUT', `${RM}/apps/${id}/state`, { user: 'root', body: { state: 'KILLED' } });
    }
    for (const [n, id] of ids.entries()) {
      await post(
        `id.${n}`,
        { 'application-id': id, ...unmanaged, queue: 'nowhere' },
        typeof id === 'string' && id.length < 99 ? { xml: false } : {},
      );
      if (typeof id === 'string' && id.length < 99)
        await c.record(`id.${n}.get`, 'rm', 'GET', `${RM}/apps/${encodeURIComponent(id)}`, {
          user: 'root',
          pick: ({ app, ...j }) => (app ? [app.id, app.state] : j),
        });
    }
  },
};
