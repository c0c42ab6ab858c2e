// Scheduling requests of Hadoop's masters over real connections: where they are placed, which are refused.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { asked, capability, everything, hostsOf, refusal, running } from './test-support/master-calls.ts';
import type { AllocateCall } from './test-support/master-world.ts';

describe('scheduling requests', () => {
  const request = (allocationRequestId: number, tag: string, more: object = {}) => ({
    allocationRequestId,
    priority: { priority: 1 },
    allocationTags: [tag],
    resourceSizing: { numAllocations: 1, resources: capability(512) },
    ...more,
  });
  const notWith = (tag: string) => ({
    simpleConstraint: {
      scope: 'node',
      minCardinality: 0,
      maxCardinality: 0,
      targetExpressions: [{ targetType: 'ALLOCATION_TAG' as const, targetKey: 'self', targetValues: [tag] }],
    },
  });

  it('are placed as their constraints let them', async () => {
    await using world = await running();
    const { master, masters } = world;
    const apart = { placementConstraint: notWith('z') };
    const given = await everything(master, { scheduling_requests: [request(1, 'z', apart), request(2, 'z', apart)] });
    assert.deepEqual(
      given.map(({ allocation_tags }) => allocation_tags),
      [['z']],
    );
    masters.world.addNode('n2:45454');
    assert.deepEqual(hostsOf(await master.beat()), []);
    assert.deepEqual(hostsOf(await master.beat()), ['n2']);
  });

  it('that nobody could keep to are refused, and nothing of their call is taken', async () => {
    await using world = await running();
    const { master } = world;
    const apart = { placementConstraint: notWith('z') };
    const refused = (call: AllocateCall) => refusal(master.beat(call));
    const key = (priority: number, id: number) =>
      `SchedulerRequestKey{priority=${priority}, allocationRequestId=${id}, containerToUpdate=null}`;
    const exception = 'YarnException: org.apache.hadoop.yarn.exceptions.SchedulerInvalidResoureRequestException: ';
    assert.equal(
      await refused({ scheduling_requests: [request(1, 'z', { ...apart, executionType: { execution_type: 'OPPORTUNISTIC' } })] }),
      `${exception}AppId=APP Key=${key(1, 1)}. Exception message:Only GUARANTEED execution type is supported.`,
    );
    assert.equal(
      await refused({ scheduling_requests: [request(2, 'z', { ...apart, resourceSizing: undefined })] }),
      `${exception}AppId=APP Key=${key(1, 2)}. Exception message:No ResourceSizing found in the scheduling request, please double check`,
    );
    const far = {
      placementConstraint: { simpleConstraint: { ...notWith('nowhere').simpleConstraint, minCardinality: 1, maxCardinality: 9 } },
    };
    const sized = (numAllocations: number, memory: number) => ({
      ...far,
      resourceSizing: { numAllocations, resources: capability(memory) },
    });
    await master.beat({ scheduling_requests: [request(3, 'w', sized(1, 512))] });
    assert.match(await refused({ scheduling_requests: [request(3, 'w', sized(1, 1024))] }), /we only allows changing numAllocations/);
    assert.match(
      await refused({ ask: [asked(1, { allocation_request_id: 3 })] }),
      /there exists a SchedulingRequest with the same scheduler key=SchedulerRequestKey\{priority=1, allocationRequestId=3/,
    );
    await master.beat({ scheduling_requests: [request(3, 'w', sized(2, 512))] });
    await master.beat({ scheduling_requests: [request(3, 'w', sized(0, 512))] });
    const given = await everything(master, { ask: [asked(1, { allocation_request_id: 3 })] });
    assert.equal(given.length, 1, 'its number is free again');
  });

  it('of more than there is are given the most that there is', async () => {
    await using world = await running();
    const { master, masters } = world;
    masters.world.addNode('n2:45454');
    const large = { placementConstraint: notWith('z'), resourceSizing: { numAllocations: 1, resources: capability(1 << 24) } };
    const given = await everything(master, { scheduling_requests: [request(1, 'z', large)] });
    assert.deepEqual(
      given.map(({ resource }) => resource?.memory),
      [4096],
    );
  });

  it('that are tried in vain are rejected as they were said', async () => {
    await using world = await running({ placementTries: 2 });
    const { master } = world;
    const impossible = request(7, 'a', {
      placementConstraint: { simpleConstraint: { ...notWith('b').simpleConstraint, minCardinality: 1, maxCardinality: 9 } },
    });
    const rejected = [];
    for (let i = 0; i < 5; i++)
      rejected.push(...(await master.beat(i === 0 ? { scheduling_requests: [impossible] } : {})).rejected_scheduling_requests);
    assert.deepEqual(
      rejected.map(({ reason, request: said }) => [
        reason,
        said.allocationRequestId,
        said.allocationTags,
        said.resourceSizing?.numAllocations,
      ]),
      [['RRP_COULD_NOT_PLACE_ON_NODE', 7, ['a'], 1]],
    );
  });

  it('are refused where nobody handles constraints', async () => {
    await using world = await running({ placementConstraints: false });
    assert.match(
      await refusal(world.master.beat({ scheduling_requests: [request(1, 'z')] })),
      /^YarnException: Found non empty SchedulingRequest/,
    );
  });
});
