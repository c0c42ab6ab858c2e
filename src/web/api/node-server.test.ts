import assert from 'node:assert/strict';
import { afterEach, describe, it } from 'node:test';
import { QueryClient } from '@tanstack/react-query';
import { containerLogsQuery, logContents, logTextQuery, ownContainersQuery } from './node-server.ts';

const realFetch = globalThis.fetch;
afterEach(() => void (globalThis.fetch = realFetch));

function answering(body: unknown): string[] {
  const asked: string[] = [];
  globalThis.fetch = (async (url: string) => {
    asked.push(url);
    return typeof body === 'string' ? new Response(body) : Response.json(body);
  }) as typeof fetch;
  return asked;
}
const client = () => new QueryClient();

describe('what pages ask a node', () => {
  it('is nothing where there are no containers', async () => {
    answering({ containers: null });
    assert.deepEqual(await client().fetchQuery(ownContainersQuery), []);
  });

  it('has one log where the list of one is the one', async () => {
    answering({ containerLogsInfo: { containerLogInfo: { fileName: 'stdout', fileSize: '12' } } });
    assert.deepEqual(await client().fetchQuery(containerLogsQuery('c1')), [{ name: 'stdout', bytes: 12 }]);
    answering({
      containerLogsInfo: [
        {
          containerLogInfo: [
            { fileName: 'a', fileSize: '1' },
            { fileName: 'b', fileSize: '2' },
          ],
        },
      ],
    });
    assert.equal((await client().fetchQuery(containerLogsQuery('c1'))).length, 2);
  });

  it('is the end of a log alone', async () => {
    const asked = answering(
      'Container: c1 on n\nLogType:stdout\nLogContents:\none\ntwo\nEnd of LogType:stdout. This log file belongs …\n***\n',
    );
    assert.equal(await client().fetchQuery(logTextQuery('c1', 'std out')), 'one\ntwo');
    assert.match(asked[0]!, /containerlogs\/c1\/std%20out\?size=-262144$/);
    assert.equal(logContents('plain'), 'plain');
  });
});
