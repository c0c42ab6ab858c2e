// What does it cost to know who calls? The same request without a proof, with a cookie, and with a bearer token, here and on another server.
import { request } from 'undici';
import { startProcesses } from '../test/support/processes.ts';
import { cluster as base } from './applications.ts';
import { compareWays } from './compared-ways.ts';
import { call, type Measure } from './measure.ts';

export async function bearer(): Promise<Measure[]> {
  await using cluster = await startProcesses({ mode: 'roles' });
  const { resourceManager, history } = cluster.urls;
  const made = await call('POST', `${resourceManager}/api/v1/tokens?user.name=bench`, { name: 'bench', scope: 'read' });
  const { text } = JSON.parse(made.text) as { text: string };
  const clusterInfo = { url: `${base(resourceManager)}/info`, pid: cluster.pids.get('resource-manager') ?? 0 };
  const historyInfo = { url: `${history}/ws/v1/history/info`, pid: cluster.pids.get('history') ?? 0 };
  const named = await request(`${clusterInfo.url}?user.name=bench`);
  await named.body.dump();
  const cookie = String(named.headers['set-cookie']).split(';')[0] ?? '';
  const authorization = `Bearer ${text}`;
  // As long as a proof, and not looked at.
  const plain = { name: 'without', headers: { 'x-proof': authorization } };
  return await compareWays([
    {
      plain: { ...clusterInfo, ...plain },
      others: [
        // How far two rounds of the same differ.
        { ...clusterInfo, ...plain, name: 'info, without once more' },
        { ...clusterInfo, name: 'info, with a cookie', headers: { cookie } },
        { ...clusterInfo, name: 'info, with a bearer token', headers: { authorization } },
      ],
    },
    {
      plain: { ...historyInfo, ...plain },
      others: [{ ...historyInfo, name: 'info of the history server, with a bearer token', headers: { authorization } }],
    },
  ]);
}
