// Tokens that let a master start its containers on their nodes: an HMAC of the container's id under the cluster's key.
import { createHmac, timingSafeEqual } from 'node:crypto';

/** The token of a container. */
export const containerToken = (key: Buffer, containerId: string): string =>
  createHmac('sha256', key).update(`container:${containerId}`).digest('base64url');

/** Whether `token` is the container's. */
export function isContainerToken(key: Buffer, containerId: string, token: string): boolean {
  const expected = Buffer.from(containerToken(key, containerId));
  const given = Buffer.from(token);
  return given.length === expected.length && timingSafeEqual(given, expected);
}
