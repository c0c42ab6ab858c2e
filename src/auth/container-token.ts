// Tokens that let a master start, look at and stop a container on its node without asking the resource manager: what the container may
// be, in JSON, with an HMAC under the cluster's key (Hadoop's ContainerTokenIdentifier).
import { createHmac } from 'node:crypto';
import type { ContainerStart } from '../wire/cluster/node-channel.ts';
import { isSameSecret } from './secrets.ts';

/** What a token says: the order without what runs. */
export interface ContainerTokenContent extends Omit<ContainerStart, 'launch'> {
  readonly nodeId: string;
  /** ms since the epoch; after it the container can no longer be started. */
  readonly expiresMs: number;
}

const sign = (key: Buffer, content: string): string => createHmac('sha256', key).update(`container:${content}`).digest('base64url');

/** The token of a container. */
export function containerToken(key: Buffer, content: ContainerTokenContent): string {
  const text = Buffer.from(JSON.stringify(content)).toString('base64url');
  return `${text}.${sign(key, text)}`;
}

/** What a token says, or undefined when it is not one of ours. */
export function readContainerToken(key: Buffer, token: string): ContainerTokenContent | undefined {
  const dot = token.indexOf('.');
  const text = token.slice(0, dot);
  if (dot < 0 || !isSameSecret(token.slice(dot + 1), sign(key, text))) return undefined;
  return JSON.parse(Buffer.from(text, 'base64url').toString('utf8')) as ContainerTokenContent;
}
