// Ids between Hadoop's messages and their texts (ApplicationIdPBImpl, ContainerIdPBImpl, ConverterUtils).
import {
  formatApplicationId,
  formatAttemptId,
  formatContainerId,
  parseApplicationId,
  parseAttemptId,
  parseContainerId,
  parseNodeId,
} from '../../model/ids.ts';
import type { Decoded, Encodable } from './message.ts';
import type { ApplicationAttemptIdProto, ApplicationIdProto, ContainerIdProto, NodeIdProto } from './tables/identifiers.ts';

/** The epoch of a resource manager stands above this many bits of a container's number (ContainerId.CONTAINER_ID_BITMASK). */
const epochShift = 40n;

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
  const whole = id?.id ?? 0n;
  const { application_id: application, attemptId: attempt = 0 } = id?.app_attempt_id ?? {};
  return formatContainerId({
    clusterTimestamp: application?.cluster_timestamp ?? 0,
    sequence: application?.id ?? 0,
    attempt,
    number: Number(BigInt.asUintN(Number(epochShift), whole)),
    epoch: Number(whole >> epochShift),
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
    id: (BigInt(epoch) << epochShift) + BigInt(number),
  };
}

export function nodeIdMessage(text: string): Encodable<typeof NodeIdProto> {
  const { host, port } = parseNodeId(text);
  return { host, port };
}
