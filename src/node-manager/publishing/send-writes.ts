// Sends what a node tells version 2 of the timeline, on a connection on which both have proven that they know the cluster's secret.
import type { Delivery } from '../../client/delivery-queue.ts';
import { type ProvenAgent, Unproven } from '../../client/proven-agent.ts';
import { request } from '../../client/request.ts';
import { deliveryOf } from '../../client/timeline-client.ts';
import { nodeWritesPath, type SystemWrite } from '../../wire/timeline/v2-entity.ts';

const requestTimeoutMs = 30_000;
const maximumAnswerBytes = 100_000;

/** Sends writes to a timeline server; a server that does not prove itself gets none. @throws Error where it cannot be reached */
export async function sendNodeWrites(url: string, agent: ProvenAgent, writes: readonly SystemWrite[]): Promise<Delivery> {
  try {
    // The agent connects; TLS, where it is spoken, lies around what it proves.
    const { statusCode, headers, body } = await request(`${url.replace(/^https:/, 'http:').replace(/\/$/, '')}${nodeWritesPath}`, {
      method: 'POST',
      agent,
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ writes }),
      headersTimeout: requestTimeoutMs,
      bodyTimeout: requestTimeoutMs,
      mostBytes: maximumAnswerBytes,
    });
    return deliveryOf(statusCode, headers['retry-after'], await body.text());
  } catch (error) {
    if (error instanceof Unproven) return { kind: 'refused', status: 403, reason: error.message };
    throw error;
  }
}
