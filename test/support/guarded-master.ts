// The master of a batch job of ann's in a guarded cluster, as callers reach it: through the web proxy, which says who they are.
import assert from 'node:assert/strict';
import { Counters } from '../../src/batch/counters/counters.ts';
import type { Service } from '../../src/http/service.ts';
import type { Logger } from '../../src/lib/log.ts';
import { aBatchMaster, batchIds } from './batch-master.ts';
import { baseOf, type GuardedCluster, guardedUsers, sendJson } from './guarded-cluster.ts';
import { until } from './processes.ts';
import type { Trial } from './route-trials.ts';

export interface GuardedMaster extends AsyncDisposable {
  readonly service: Service;
  /** Where callers reach it. */
  readonly url: string;
  /** What stands for the names in its paths. */
  readonly names: Readonly<Record<string, string>>;
  readonly trials: Readonly<Record<string, Trial>>;
}

/** Starts it as the master of an application of ann's that runs outside of the cluster; lis is on the lists of its job. */
export async function startGuardedMaster({ cluster }: GuardedCluster, logger: Logger): Promise<GuardedMaster> {
  const rm = cluster.urls.resourceManager;
  const ask = async (method: string, path: string, body?: unknown, headers = {}) => {
    const answer = await sendJson(`${rm}${path}`, method, body, headers);
    assert.ok(answer.status < 300, `${path}: ${answer.status} ${answer.text}`);
    return (answer.text === '' ? {} : JSON.parse(answer.text)) as Record<string, string>;
  };
  const by = `user.name=${guardedUsers.owner}`;
  const applicationId = (await ask('POST', `/ws/v1/cluster/apps/new-application?${by}`))['application-id']!;
  await ask('POST', `/ws/v1/cluster/apps?${by}`, { 'application-id': applicationId, 'application-name': 'job', 'unmanaged-AM': true });
  const { attemptId, token } = await until('the master to be expected', () =>
    ask('GET', `/api/v1/applications/${applicationId}/master?${by}`),
  );
  let key: string | undefined;
  const service = aBatchMaster(logger, {
    signature: { applicationId, key: () => key },
    administrators: 'boss ',
    job: {
      applicationId,
      user: guardedUsers.owner!,
      accessLists: { view: 'lis', modify: 'lis' },
      killAttempt: () => undefined,
      failAttempt: () => true,
      killTask: () => undefined,
      killJob: () => undefined,
      totalCounters: () => new Counters({ of: { ann: 1 } }),
    },
  });
  await service.listen();
  const registration = { host: '127.0.0.1', rpcPort: 0, trackingUrl: baseOf(service) };
  const authorization = `Bearer ${token}`;
  key = (await ask('POST', `/api/v1/attempts/${attemptId}/register`, registration, { authorization }))['proxyKey'];
  assert.ok(key);
  const killed = { body: { state: 'KILLED' } };
  return {
    service,
    url: `${rm}/proxy/${applicationId}`,
    names: { ...batchIds, type: 'm' },
    trials: {
      'PUT /api/v1/jobs/:jobid/state': killed,
      'PUT /api/v1/jobs/:jobid/tasks/:taskid/state': killed,
      'PUT /api/v1/jobs/:jobid/tasks/:taskid/attempts/:attemptid/state': killed,
      'PUT /ws/v1/mapreduce/jobs/:jobid/tasks/:taskid/attempts/:attemptid/state': killed,
    },
    [Symbol.asyncDispose]: () => service.close(),
  };
}
