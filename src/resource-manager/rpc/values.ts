// Ids, amounts and other small values between Hadoop's messages and ours.
import {
  formatApplicationId,
  formatAttemptId,
  formatContainerId,
  parseApplicationId,
  parseAttemptId,
  parseContainerId,
  parseNodeId,
} from '../../model/ids.ts';
import type { Resource, ResourceTypes } from '../../model/resource.ts';
import type { Decoded, Encodable } from '../../wire/rpc/message.ts';
import type {
  ApplicationAttemptIdProto,
  ApplicationIdProto,
  ContainerIdProto,
  NodeIdProto,
  ResourceProto,
} from '../../wire/rpc/tables/identifiers.ts';
import type { NamedAmount } from '../commands/amounts.ts';

/** The epoch of a resource manager stands above this many bits of a container's number (ContainerId.CONTAINER_ID_BITMASK). */
const epochFactor = 2 ** 40;

type Id<M> = Decoded<M> | undefined;

/** The text of an application id; a part that is absent counts as 0, as Hadoop's records have it. */
export const applicationIdText = (id: Id<typeof ApplicationIdProto>): string =>
  formatApplicationId({ clusterTimestamp: id?.cluster_timestamp ?? 0, sequence: id?.id ?? 0 });

export const attemptIdText = (id: Id<typeof ApplicationAttemptIdProto>): string =>
  formatAttemptId({
    clusterTimestamp: id?.application_id?.cluster_timestamp ?? 0,
    sequence: id?.application_id?.id ?? 0,
    attempt: id?.attemptId ?? 0,
  });

export function containerIdText(id: Id<typeof ContainerIdProto>): string {
  const whole = id?.id ?? 0;
  const epoch = Math.floor(whole / epochFactor);
  const { application_id: application, attemptId: attempt = 0 } = id?.app_attempt_id ?? {};
  return formatContainerId({
    clusterTimestamp: application?.cluster_timestamp ?? 0,
    sequence: application?.id ?? 0,
    attempt,
    number: whole - epoch * epochFactor,
    epoch,
  });
}

export function applicationIdMessage(text: string): Encodable<typeof ApplicationIdProto> {
  const { clusterTimestamp, sequence } = parseApplicationId(text);
  return { id: sequence, cluster_timestamp: clusterTimestamp };
}

export function attemptIdMessage(text: string): Encodable<typeof ApplicationAttemptIdProto> {
  const { clusterTimestamp, sequence, attempt } = parseAttemptId(text);
  return { application_id: { id: sequence, cluster_timestamp: clusterTimestamp }, attemptId: attempt };
}

export function containerIdMessage(text: string): Encodable<typeof ContainerIdProto> {
  const { clusterTimestamp, sequence, attempt, epoch, number } = parseContainerId(text);
  return {
    app_attempt_id: { application_id: { id: sequence, cluster_timestamp: clusterTimestamp }, attemptId: attempt },
    id: epoch * epochFactor + number,
  };
}

export function nodeIdMessage(text: string): Encodable<typeof NodeIdProto> {
  const { host, port } = parseNodeId(text);
  return { host, port };
}

/** An amount with all its types, as Hadoop writes each (ResourcePBImpl). */
export const resourceMessage = (amount: Resource, { types }: ResourceTypes): Encodable<typeof ResourceProto> => ({
  memory: amount[0] ?? 0,
  virtual_cores: amount[1] ?? 0,
  resource_value_map: types.map(({ name, units }, index) => ({ key: name, value: amount[index] ?? 0, units, type: 'COUNTABLE' as const })),
});

/** An amount by name; undefined where the message has none. */
export function namedAmount(message: Id<typeof ResourceProto>): NamedAmount | undefined {
  if (message === undefined) return undefined;
  const named = new Map(message.resource_value_map.map(({ key, value }) => [key, value ?? 0]));
  return {
    memoryMiB: message.memory ?? named.get('memory-mb') ?? 0,
    vcores: message.virtual_cores ?? named.get('vcores') ?? 0,
    others: named,
  };
}

/** The pairs of amounts by type. */
export const amountsByType = (amounts: readonly number[], { types }: ResourceTypes) =>
  types.map(({ name }, index) => ({ key: name, value: amounts[index] ?? 0 }));
