// A master of Hadoop over a kill -9 of the resource manager: what Hadoop's client library does then, call by call.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { RefusedCall, RpcTestClient } from '../../src/rpc/test-support/rpc-client.ts';
import type { Encodable } from '../../src/wire/rpc/message.ts';
import { applicationClientProtocol } from '../../src/wire/rpc/protocols/application-client.ts';
import { applicationMasterProtocol as protocol } from '../../src/wire/rpc/protocols/application-master.ts';
import type { AllocateRequestProto } from '../../src/wire/rpc/tables/master-service.ts';
import { submitApplication } from '../support/applications.ts';
import { freePorts } from '../support/ports.ts';
import { startProcesses, until } from '../support/processes.ts';

const asked = (num_containers: number) => ({
  priority: { priority: 1 },
  resource_name: '*',
  capability: { memory: 128, virtual_cores: 1 },
  num_containers,
});

test('a master outside the cluster goes on over a kill of the resource manager: told once what ended, given what it asks anew', async () => {
  const [clients, masters] = await freePorts(2);
  await using cluster = await startProcesses({
    mode: 'none',
    settings: {
      'yarn.resourcemanager.address': `127.0.0.1:${clients}`,
      'yarn.resourcemanager.scheduler.address': `127.0.0.1:${masters}`,
      'yarn.resourcemanager.admin.address': '127.0.0.1:0',
      'yarn.scheduler.minimum-allocation-mb': '128',
    },
  });
  await cluster.start('resource-manager');
  await cluster.start('node-manager');
  const application = await submitApplication(cluster.urls.resourceManager, { 'unmanaged-AM': true });
  const [, cluster_timestamp, id] = application.split('_').map(Number);
  const application_id = { id: id!, cluster_timestamp: cluster_timestamp! };
  const token = await until('the token of the master', async () => {
    using owner = RpcTestClient.named(`127.0.0.1:${clients}`, 'root', applicationClientProtocol.name);
    return (await owner.call(applicationClientProtocol, 'getApplicationReport', { application_id })).application_report?.am_rm_token;
  });
  let master = await RpcTestClient.proven(`127.0.0.1:${masters}`, token, protocol.name);
  let responseId = 0;
  /** Containers whose end it was told. */
  const ends: (bigint | undefined)[] = [];
  const beat = async (call: Encodable<typeof AllocateRequestProto> = {}) => {
    const answer = await master.call(protocol, 'allocate', { response_id: responseId, ...call });
    responseId = answer.response_id!;
    ends.push(...answer.completed_container_statuses.map(({ container_id }) => container_id?.id));
    return answer;
  };
  /** Calls until so many containers were given. */
  const given = async (count: number, call: Encodable<typeof AllocateRequestProto>) => {
    const containers = [...(await beat(call)).allocated_containers];
    await until('containers', async () => {
      containers.push(...(await beat()).allocated_containers);
      return containers.length >= count;
    });
    assert.equal(containers.length, count);
    return containers;
  };
  await master.call(protocol, 'registerApplicationMaster', { host: 'h', rpc_port: 1 });
  const [first, second] = await given(2, { ask: [asked(2)] });
  await beat({ ask: [asked(0)], release: [first!.id!] });
  assert.deepEqual(ends, [first!.id?.id]);

  await cluster.stop('resource-manager', 'SIGKILL');
  await master.closed;
  await cluster.start('resource-manager');
  // The same token counts; the number of its last answer is what the master says first.
  master = await RpcTestClient.proven(`127.0.0.1:${masters}`, token, protocol.name);
  const isNotRegistered = (error: unknown) =>
    error instanceof RefusedCall && error.header.exceptionClassName!.endsWith('.ApplicationMasterNotRegisteredException');
  await assert.rejects(beat({ ask: [asked(1)] }), isNotRegistered);
  responseId = 0;
  await master.call(protocol, 'registerApplicationMaster', { host: 'h', rpc_port: 1 });
  const [third] = await given(1, { ask: [asked(1)] });
  assert.notDeepEqual(third!.id, second!.id);
  await beat({ release: [third!.id!] });
  await beat();
  // The node, which never heard of the second one, does not have it: it is over.
  assert.deepEqual(ends, [first!.id?.id, second!.id?.id, third!.id?.id]);
  const { isUnregistered } = await master.call(protocol, 'finishApplicationMaster', { final_application_status: 'APP_SUCCEEDED' });
  assert.equal(isUnregistered, true);
  using owner = RpcTestClient.named(`127.0.0.1:${clients}`, 'root', applicationClientProtocol.name);
  const { application_report: report } = await owner.call(applicationClientProtocol, 'getApplicationReport', { application_id });
  assert.deepEqual([report?.yarn_application_state, report?.final_application_status], ['FINISHED', 'APP_SUCCEEDED']);
  master[Symbol.dispose]();
});
