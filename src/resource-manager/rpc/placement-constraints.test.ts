// Constraints in Hadoop's messages, as PlacementConstraintToProtoConverter writes what programs make of PlacementConstraints.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { constraintText, readConstraint } from '../../model/placement-constraint.ts';
import type { ConstraintMessage } from '../../wire/rpc/tables/placement.ts';
import { readConstraintMessage } from './placement-constraints.ts';

type Simple = NonNullable<ConstraintMessage['simpleConstraint']>;
const target = (
  targetValues: readonly string[],
  targetKey: string | undefined = 'self',
  targetType: Simple['targetExpressions'][number]['targetType'] = 'ALLOCATION_TAG',
) => ({ targetType, ...(targetKey === undefined ? {} : { targetKey }), targetValues });
const simple = (more: Partial<Simple>): ConstraintMessage => ({
  simpleConstraint: {
    scope: 'node',
    targetExpressions: [],
    minCardinality: 1,
    maxCardinality: 2 ** 31 - 1,
    attributeOpCode: 'NO_OP',
    ...more,
  },
});
const not = { minCardinality: 0, maxCardinality: 0 };
const composite = (compositeType: 'AND' | 'OR' | 'DELAYED_OR', ...childConstraints: ConstraintMessage[]): ConstraintMessage => ({
  compositeConstraint: { compositeType, childConstraints, timedChildConstraints: [] },
});
const text = (message: ConstraintMessage) => constraintText(readConstraint(readConstraintMessage(message).constraint));

describe('constraints of Hadoop', () => {
  it('mean what they mean in the language of constraints', () => {
    const near = simple({ targetExpressions: [target(['zk', 'hb'])] });
    const apart = simple({ scope: 'rack', ...not, targetExpressions: [target(['zk'], 'not-self')] });
    assert.equal(text(near), 'in,node,zk,hb');
    assert.equal(text(apart), 'notin,rack,not-self/zk');
    assert.equal(text(simple({ ...not, targetExpressions: [target(['zk'], undefined, 'SELF')] })), 'notin,node,zk');
    assert.equal(
      text(simple({ minCardinality: 2, maxCardinality: 4, targetExpressions: [target(['zk'], 'app-id/application_1_0001')] })),
      'cardinality,node,app-id/application_1_0001/zk,2,4',
    );
    assert.equal(text(composite('AND', near, composite('OR', apart, near))), 'and(in,node,zk,hb:or(notin,rack,not-self/zk:in,node,zk,hb))');
    assert.equal(text(simple({ targetExpressions: [target(['a']), target(['b'], 'all')] })), 'and(in,node,a:in,node,all/b)');
    const delayed = {
      compositeConstraint: {
        compositeType: 'DELAYED_OR' as const,
        childConstraints: [],
        timedChildConstraints: [near, apart].map((placementConstraint) => ({ placementConstraint })),
      },
    };
    assert.equal(text(delayed), 'or(in,node,zk,hb:notin,rack,not-self/zk)');
  });

  it('name attributes of nodes, wanted or not', () => {
    const attribute = (more: Partial<Simple>) =>
      text(simple({ targetExpressions: [target(['1.8', '11'], 'rm.yarn.io/java', 'NODE_ATTRIBUTE')], ...more }));
    assert.equal(attribute({}), 'rm.yarn.io/java=1.8,11');
    assert.equal(attribute({ attributeOpCode: 'EQ' }), 'rm.yarn.io/java=1.8,11');
    assert.equal(attribute({ attributeOpCode: 'NE' }), 'rm.yarn.io/java!=1.8,11');
    assert.equal(attribute(not), 'rm.yarn.io/java!=1.8,11');
  });

  it('name the label of the node, which is no constraint here', () => {
    const label = simple({ targetExpressions: [target(['gpu'], 'yarn_node_partition/', 'NODE_ATTRIBUTE')] });
    assert.deepEqual(readConstraintMessage(label), { constraint: undefined, labelExpression: 'gpu' });
    const both = composite('AND', label, simple({ ...not, targetExpressions: [target(['zk'])] }));
    assert.equal(readConstraintMessage(both).labelExpression, 'gpu');
    assert.equal(text(both), 'notin,node,zk');
  });

  it('that say nothing are refused', () => {
    for (const message of [
      {},
      composite('OR'),
      simple({ scope: 'moon', targetExpressions: [target(['a'])] }),
      simple({ targetExpressions: [target([])] }),
    ])
      assert.throws(() => readConstraint(readConstraintMessage(message).constraint));
  });
});
