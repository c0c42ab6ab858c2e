import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { WaitingReason } from '../../scheduler/explain/explanation.ts';
import type { Node } from '../nodes/node.ts';
import { NodeTotals } from '../nodes/node-totals.ts';
import { aNode } from '../test-support/builders.ts';
import { outOfService } from './nodes-out-of-service.ts';

const seen = (nodes: readonly Node[]) => {
  const counts = { ...new NodeTotals().counts };
  for (const { state } of nodes) counts[state]++;
  return {
    view: { nodes: () => nodes.values(), nodeTotals: { counts, usedMemoryMiB: 0, usedCores: 0 } },
    labelOf: (id: string) => (id.startsWith('gpu') ? 'gpu' : ''),
  };
};
const sick = (id: string, healthReport = '', resource = [8192, 8]) => aNode(id, { state: 'UNHEALTHY', healthReport, resource });
const noNodes: WaitingReason = { rule: 'NO_NODES', partition: '' };

test('an unhealthy node is named with what it reports, a lost one with what brings it back', () => {
  const one = outOfService(noNodes, seen([sick('n1:1', '1/1 local-dirs are full.\nmore'), aNode('n2:1', { state: 'LOST' })]));
  assert.equal(one?.sentence, 'Out of service: n1:1 is unhealthy (1/1 local-dirs are full); n2:1 is lost.');
  assert.match(one?.remedy ?? '', /^Also when n1:1 is well again: "heddle node show n1:1"/);
  const lost = outOfService(noNodes, seen([aNode('n2:1', { state: 'LOST' })]));
  assert.equal(lost?.remedy, 'Also when the node manager of n2:1 is started again.');
});

test('of many some are named, and the others counted', () => {
  const text = outOfService(noNodes, seen(Array.from({ length: 5 }, (_, i) => sick(`n${i}:1`))))?.sentence;
  assert.equal(text, 'Out of service: n0:1 is unhealthy; n1:1 is unhealthy; n2:1 is unhealthy; 2 more are.');
});

test('nodes that would not help are not named', () => {
  assert.equal(outOfService(noNodes, seen([aNode('n1:1', { state: 'RUNNING' })])), undefined);
  assert.equal(outOfService({ rule: 'USER_LIMIT' }, seen([sick('n1:1')])), undefined);
  const large: WaitingReason = { rule: 'NO_NODE_LARGE_ENOUGH', partition: '', asked: [16_384, 1] };
  assert.equal(outOfService(large, seen([sick('n1:1')])), undefined);
  assert.match(outOfService(large, seen([sick('n1:1'), sick('n2:1', '', [32_768, 8])]))?.sentence ?? '', /^Out of service: n2:1 /);
  const labelled: WaitingReason = { rule: 'NO_NODE_WITH_LABEL', partition: 'gpu' };
  assert.equal(outOfService(labelled, seen([sick('n1:1')])), undefined);
  assert.match(outOfService(labelled, seen([sick('gpu1:1')]))?.sentence ?? '', /^Out of service: gpu1:1 /);
});
