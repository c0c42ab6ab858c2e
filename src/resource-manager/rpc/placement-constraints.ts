// Placement constraints in Hadoop's messages, as the commands read them (PlacementConstraintFromProtoConverter, PlacementConstraints).
import type { Decoded } from '../../wire/rpc/message.ts';
import type { ConstraintMessage, PlacementConstraintTargetProto, SimplePlacementConstraintProto } from '../../wire/rpc/tables/placement.ts';

type Simple = Decoded<typeof SimplePlacementConstraintProto>;
type Target = Decoded<typeof PlacementConstraintTargetProto>;

/** Integer.MAX_VALUE: no bound. */
const unbounded = 2 ** 31 - 1;
/** The attribute that stands for the node's label (PlacementConstraints.NODE_PARTITION). */
const nodePartition = 'yarn_node_partition/';

/** What a constraint asks of nodes. */
export interface ReadConstraintMessage {
  /** As `readConstraint` takes it, which refuses what cannot be meant; undefined: the label is all. */
  readonly constraint: unknown;
  readonly labelExpression: string | undefined;
}

export function readConstraintMessage(message: ConstraintMessage): ReadConstraintMessage {
  return { constraint: objectOf(message), labelExpression: labelOf(message) };
}

/** Delays of alternatives are not kept: whichever holds, holds. */
function objectOf({ simpleConstraint, compositeConstraint }: ConstraintMessage): unknown {
  if (simpleConstraint) return simpleObject(simpleConstraint);
  if (!compositeConstraint) return {};
  const { compositeType, childConstraints, timedChildConstraints } = compositeConstraint;
  const children = [...childConstraints, ...timedChildConstraints.map(({ placementConstraint }) => placementConstraint)];
  return together(compositeType === 'AND' ? 'and' : 'or', children.map(objectOf));
}

/** Each target is a constraint of its own: all of them hold. */
const simpleObject = (simple: Simple): unknown =>
  together(
    'and',
    simple.targetExpressions.filter((target) => !isLabel(target)).map((target) => targetObject(simple, target)),
  );

function together(type: 'and' | 'or', constraints: readonly unknown[]): unknown {
  const meant = constraints.filter((constraint) => constraint !== undefined);
  if (meant.length === 0) return constraints.length === 0 && type === 'or' ? {} : undefined;
  return meant.length === 1 ? meant[0] : { type, constraints: meant };
}

function targetObject({ scope, minCardinality = 0, maxCardinality = unbounded, attributeOpCode }: Simple, target: Target): unknown {
  const { targetType, targetKey = '', targetValues } = target;
  if (targetType === 'NODE_ATTRIBUTE') {
    const isNot = attributeOpCode === 'NE' || ((attributeOpCode ?? 'NO_OP') === 'NO_OP' && maxCardinality === 0);
    return { type: 'attribute', name: targetKey, operator: isNot ? '!=' : '=', values: targetValues };
  }
  // The key of tags is their namespace.
  const isOwn = targetType === 'SELF' || targetKey === '' || targetKey === 'self';
  const tags = targetValues.map((tag) => (isOwn ? tag : `${targetKey}/${tag}`));
  const maximum = maxCardinality >= unbounded ? {} : { maximum: maxCardinality };
  return { type: 'cardinality', scope, tags, minimum: minCardinality, ...maximum };
}

const isLabel = ({ targetType, targetKey }: Target): boolean => targetType === 'NODE_ATTRIBUTE' && targetKey === nodePartition;

/** The label that is asked for, alone or with all else (SingleConstraintAppPlacementAllocator.validateAndSetSchedulingRequest). */
function labelOf({ simpleConstraint, compositeConstraint }: ConstraintMessage): string | undefined {
  const named = simpleConstraint?.targetExpressions.find(isLabel);
  if (named) return named.targetValues[0];
  if (compositeConstraint?.compositeType !== 'AND') return undefined;
  return compositeConstraint.childConstraints.map(labelOf).find((label) => label !== undefined);
}
