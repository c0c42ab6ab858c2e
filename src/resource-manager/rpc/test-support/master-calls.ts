// What tests of masters' calls share: a master that runs, what it asks for, what it is given and refused.
import assert from 'node:assert/strict';
import { RefusedCall } from '../../../rpc/test-support/rpc-client.ts';
import { type AllocateAnswer, type AllocateCall, MasterWorld, type TestMaster } from './master-world.ts';

const yarnPackage = 'org.apache.hadoop.yarn.exceptions.';

/** Class and first line of what a call is refused with, ids left out. */
export async function refusal(call: Promise<unknown>): Promise<string> {
  try {
    await call;
    return 'no failure';
  } catch (error) {
    assert.ok(error instanceof RefusedCall, String(error));
    const { exceptionClassName = '', errorMsg = '' } = error.header;
    return `${exceptionClassName.replace(yarnPackage, '')}: ${errorMsg.split('\n')[0]}`
      .replace(/\d{8,}/g, 'N')
      .replaceAll(/appattempt_N_\d+_\w+/g, 'ATTEMPT')
      .replaceAll(/application_N_\d+/g, 'APP');
  }
}

/** An amount as Hadoop's clients write it, memory in MiB. */
export const capability = (memory: number, virtual_cores = 1) => ({
  memory,
  virtual_cores,
  resource_value_map: [
    { key: 'memory-mb', value: memory, units: 'Mi' },
    { key: 'vcores', value: virtual_cores, units: '' },
  ],
});

export type Asked = NonNullable<AllocateCall['ask']>[number];
/** A request for so many containers, anywhere and of 512 MiB unless it says otherwise. */
export const asked = (num_containers: number, more: Partial<Asked> = {}): Asked => ({
  priority: { priority: 1 },
  resource_name: '*',
  capability: capability(512),
  num_containers,
  ...more,
});

/** A cluster of one node with a master that has registered. */
export async function running(settings = {}, submission = {}): Promise<{ masters: MasterWorld; master: TestMaster } & AsyncDisposable> {
  const masters = await MasterWorld.start(settings);
  const { node } = masters.world.addNode();
  const master = await masters.submit(node, submission);
  await master.register();
  return {
    masters,
    master,
    async [Symbol.asyncDispose]() {
      master.client[Symbol.dispose]();
      await masters[Symbol.asyncDispose]();
    },
  };
}

/** The hosts of what an answer gives. */
export const hostsOf = ({ allocated_containers: given }: AllocateAnswer) => given.map(({ nodeId }) => nodeId?.host).sort();

/** Calls until nothing more comes. */
export async function everything(master: TestMaster, call: AllocateCall): Promise<AllocateAnswer['allocated_containers']> {
  const given = [...(await master.beat(call)).allocated_containers];
  for (let silent = 0; silent < 2; ) {
    const { allocated_containers: more } = await master.beat();
    silent = more.length === 0 ? silent + 1 : 0;
    given.push(...more);
  }
  return given;
}
