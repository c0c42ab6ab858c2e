// Lists of applications that are waited for: answered exactly when the page that was asked for is another.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { ManualClock } from '../../lib/clock.ts';
import { managerOfSuite } from '../test-support/running-manager.ts';

/** What is waited for, by the query of the list. */
const lists = [
  '',
  'user=ann',
  'states=KILLED',
  'states=ACCEPTED,KILLED&sort=state',
  'applicationTags=nightly',
  'find=ast',
  'sort=id&limit=1',
  'limit=2',
  'sort=-priority&limit=1',
  'fields=id,priority',
  'queue=default&finalStatus=KILLED',
];

describe('GET /api/v1/applications?wait=', () => {
  const clock = new ManualClock();
  const web = managerOfSuite('list-waits', clock);

  const send = async (method: string, path: string, body: unknown, user = 'ann') => {
    const init = { method, headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) };
    const response = await fetch(`${web()}${path}?user.name=${user}`, init);
    assert.ok(response.ok, `${path}: ${response.status}`);
    return (await response.json()) as { id: string };
  };
  const submit = async (body: object, user?: string) =>
    (await send('POST', '/api/v1/applications', { 'unmanaged-AM': true, ...body }, user)).id;
  const ask = (query: string, etag?: string, signal?: AbortSignal) =>
    fetch(`${web()}/api/v1/applications?${query}`, {
      headers: etag === undefined ? {} : { 'if-none-match': etag },
      ...(signal ? { signal } : {}),
    });
  const tagOf = async (query: string): Promise<string> => {
    const response = await ask(query);
    await response.text();
    return response.headers.get('etag')!;
  };

  it('answers each who waits once the page is another, and no sooner', async () => {
    const over = new AbortController();
    const waits = new Map<string, { readonly etag: string; readonly answer: Promise<Response> }>();
    let answered = 0;
    const begin = async (query: string): Promise<void> => {
      const etag = await tagOf(query);
      const answer = ask(`${query}&wait=60000`, etag, over.signal).then((response) => {
        assert.equal(response.status, 200, `${query}: answered though nothing in it changed`);
        assert.notEqual(response.headers.get('etag'), etag);
        answered++;
        return response;
      });
      answer.catch(() => undefined);
      waits.set(query, { etag, answer });
    };
    for (const query of lists) await begin(query);
    // Asked after the others on the same server: they wait by then.
    await tagOf('');
    const look = async (): Promise<void> => {
      for (const [query, { etag, answer }] of [...waits]) {
        if ((await tagOf(query)) === etag) continue;
        let isAnswered = false;
        void answer.finally(() => {
          isAnswered = true;
        });
        // Time for who looked in vain, whenever that was.
        while (!isAnswered) {
          clock.advance(200);
          await tagOf(query);
        }
        await (await answer).text();
        await begin(query);
      }
    };
    const kill = async (id: string, user: string): Promise<void> => {
      await send('PUT', `/ws/v1/cluster/apps/${id}/state`, { state: 'KILLED' }, user);
      await (await fetch(`${web()}/api/v1/applications/${id}?wait=60000&until=end`)).text();
    };
    const first = await submit({ 'application-name': 'first' });
    await look();
    const last = await submit({ 'application-name': 'last', 'application-tags': ['nightly'] }, 'bob');
    await look();
    const third = await submit({ priority: 2 }, 'bob');
    await look();
    await send('PUT', `/ws/v1/cluster/apps/${first}/priority`, { priority: 5 });
    await look();
    await kill(last, 'bob');
    await look();
    await kill(third, 'bob');
    await look();
    assert.ok(answered > 2 * lists.length, String(answered));
    const still = [...waits.values()].map(({ answer }) => assert.rejects(answer, { name: 'AbortError' }));
    over.abort();
    await Promise.all(still);
  });

  it('answers at once who has no page yet, or another, and after the time as it is', async () => {
    assert.equal((await ask('wait=60000')).status, 200);
    assert.equal((await ask('wait=60000', '"another"')).status, 200);
    const etag = await tagOf('');
    const waiting = ask('wait=500', etag);
    let isAnswered = false;
    const answer = waiting.finally(() => {
      isAnswered = true;
    });
    for (let asked = 0; asked < 1000 && !isAnswered; asked++) {
      clock.advance(100);
      await tagOf('');
    }
    assert.equal((await answer).status, 304);
  });

  it('refuses what is no time to wait, and waiting for an end', async () => {
    for (const wait of ['60001', '-1', 'x', '', '1.5', '1e3']) assert.equal((await ask(`wait=${wait}`)).status, 400, wait);
    const { status } = await ask('wait=100&until=end');
    assert.equal(status, 400);
  });
});
