// YARN's identifiers. Inside the program and on the wire they are strings; these functions take them apart and put them together.
// Forms: ApplicationId, ApplicationAttemptId, ContainerId, NodeId of org.apache.hadoop.yarn.api.records.
import { parseLong } from '../lib/java-number.ts';

/** Thrown when a text is not an identifier of the wanted kind; the message is Hadoop's own sentence. */
export class InvalidId extends Error {
  override readonly name = 'InvalidId';
}

/** `application_{clusterTimestamp}_{sequence}`. */
export interface ApplicationIdParts {
  readonly clusterTimestamp: number;
  readonly sequence: number;
}
/** `appattempt_{clusterTimestamp}_{sequence}_{attempt}`. */
export interface AttemptIdParts extends ApplicationIdParts {
  readonly attempt: number;
}
/** `container_[e{epoch}_]{clusterTimestamp}_{sequence}_{attempt}_{number}`. */
export interface ContainerIdParts extends AttemptIdParts {
  readonly epoch: number;
  readonly number: number;
}

/** Zeros come after a sign (FastNumberFormat). */
const padded = (value: number, width: number) => `${value < 0 ? '-' : ''}${String(Math.abs(value)).padStart(width, '0')}`;

/** The number a text spells as Java's Long.parseLong takes it, or undefined. */
function wholeNumber(text: string | undefined): number | undefined {
  const value = text === undefined ? undefined : parseLong(text);
  return Number.isSafeInteger(value) ? value : undefined;
}

/** A Java int. */
function smallNumber(text: string | undefined): number | undefined {
  const value = wholeNumber(text);
  return value !== undefined && Math.abs(value) < 2 ** 31 ? value : undefined;
}

/** The text form of an application id; the sequence has at least four digits. */
export function formatApplicationId({ clusterTimestamp, sequence }: ApplicationIdParts): string {
  return `application_${clusterTimestamp}_${padded(sequence, 4)}`;
}

/** The text form of an attempt id; the attempt has six digits. */
export function formatAttemptId({ clusterTimestamp, sequence, attempt }: AttemptIdParts): string {
  return `appattempt_${clusterTimestamp}_${padded(sequence, 4)}_${padded(attempt, 6)}`;
}

/** The text form of a container id; `e{epoch}` only where the epoch is above 0. */
export function formatContainerId({
  clusterTimestamp,
  sequence,
  attempt,
  number,
  epoch = 0,
}: Omit<ContainerIdParts, 'epoch'> & { epoch?: number }): string {
  const prefix = epoch > 0 ? `container_e${padded(epoch, 2)}_` : 'container_';
  return `${prefix}${clusterTimestamp}_${padded(sequence, 4)}_${padded(attempt, 2)}_${padded(number, 6)}`;
}

/** Parses an application id. @throws InvalidId with ApplicationId.fromString's sentence. */
export function parseApplicationId(text: string): ApplicationIdParts {
  if (!text.startsWith('application_')) {
    throw new InvalidId(`Invalid ApplicationId prefix: ${text}. The valid ApplicationId should start with prefix application`);
  }
  const [, first, second, ...rest] = text.split('_');
  const clusterTimestamp = wholeNumber(first);
  const sequence = smallNumber(second);
  if (clusterTimestamp === undefined || sequence === undefined || rest.length > 0) throw new InvalidId(`Invalid ApplicationId: ${text}`);
  return { clusterTimestamp, sequence };
}

/** Parses an attempt id. @throws InvalidId with ApplicationAttemptId.fromString's sentence. */
export function parseAttemptId(text: string): AttemptIdParts {
  if (!text.startsWith('appattempt_')) throw new InvalidId(`Invalid AppAttemptId prefix: ${text}`);
  const [, first, second, third, ...rest] = text.split('_');
  const clusterTimestamp = wholeNumber(first);
  const sequence = smallNumber(second);
  const attempt = smallNumber(third);
  if (clusterTimestamp === undefined || sequence === undefined || attempt === undefined || rest.length > 0)
    throw new InvalidId(`Invalid AppAttemptId: ${text}`);
  return { clusterTimestamp, sequence, attempt };
}

/** Parses a container id. @throws InvalidId with ContainerId.fromString's sentence. */
export function parseContainerId(text: string): ContainerIdParts {
  if (!text.startsWith('container_')) throw new InvalidId(`Invalid ContainerId prefix: ${text}`);
  const parts = text.split('_').slice(1);
  let epoch = 0;
  if (parts[0]?.startsWith('e')) {
    const value = wholeNumber(parts.shift()?.slice(1));
    if (value === undefined) throw new InvalidId(`Invalid ContainerId: ${text}`);
    epoch = value;
  }
  const [clusterTimestamp, sequence, attempt, number] = parts.map(wholeNumber);
  if (clusterTimestamp === undefined || sequence === undefined || attempt === undefined || number === undefined || parts.length > 4) {
    throw new InvalidId(`Invalid ContainerId: ${text}`);
  }
  return { epoch, clusterTimestamp, sequence, attempt, number };
}

/** `host:port` of a node. */
export interface NodeIdParts {
  readonly host: string;
  readonly port: number;
}

/** Parses a node id. @throws InvalidId with NodeId.fromString's sentence. */
export function parseNodeId(text: string): NodeIdParts {
  const [host, portText, ...rest] = text.split(':');
  if (host === undefined || !portText || rest.length > 0) throw new InvalidId(`Invalid NodeId [${text}]. Expected host:port`);
  const port = smallNumber(portText);
  if (port === undefined) throw new InvalidId(`Invalid port: ${portText}`);
  return { host: host.trim(), port };
}

/** The host of a node id, however that names its port. */
export const hostOfNodeId = (text: string): string => text.slice(0, text.lastIndexOf(':'));

/** Ids as they are usually written, whatever zeros and parts were. @throws InvalidId */
export const usualApplicationId = (text: string): string => formatApplicationId(parseApplicationId(text));
export const usualAttemptId = (text: string): string => formatAttemptId(parseAttemptId(text));
export const usualContainerId = (text: string): string => formatContainerId(parseContainerId(text));

/** The application an attempt id belongs to. */
export const applicationIdOfAttempt = (text: string): string => formatApplicationId(parseAttemptId(text));
/** The application a container id belongs to. */
export const applicationIdOfContainer = (text: string): string => formatApplicationId(parseContainerId(text));
/** The attempt a container id belongs to. */
export const attemptIdOfContainer = (text: string): string => formatAttemptId(parseContainerId(text));
/** Whether a text is the id of a container of the application; false for what is no id of a container. */
export function isContainerOf(applicationId: string, text: string): boolean {
  try {
    return applicationIdOfContainer(text) === applicationId;
  } catch (error) {
    if (error instanceof InvalidId) return false;
    throw error;
  }
}
/** Whether a text is the id of an attempt. */
export function isAttemptId(text: string): boolean {
  try {
    parseAttemptId(text);
    return true;
  } catch (error) {
    if (error instanceof InvalidId) return false;
    throw error;
  }
}
