// Sends what a node tells version 2 of the timeline, on a connection on which both have proven that they know the cluster's secret.
import { request } from 'node:http';
import type { Delivery } from '../../client/delivery-queue.ts';
import { type ProvenAgent, Unproven } from '../../client/proven-agent.ts';
import { deliveryOf } from '../../client/timeline-client.ts';
import { nodeWritesPath, type SystemWrite } from '../../wire/timeline/v2-entity.ts';

const requestTimeoutMs = 30_000;
/** Of an answer that long is read, and then nothing more. */
const maximumAnswerBytes = 100_000;

/** Sends writes to a timeline server, `http://host:port`; a server that does not prove itself gets none. */
export async function sendNodeWrites(url: string, agent: ProvenAgent, writes: readonly SystemWrite[]): Promise<Delivery> {
  const body = JSON.stringify({ writes });
  const { hostname: host, port } = new URL(url);
  try {
    return await new Promise<Delivery>((resolve, reject) => {
      const headers = { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) };
      const asking = request({ agent, host, port, method: 'POST', path: nodeWritesPath, timeout: requestTimeoutMs, headers }, (answer) => {
        const pieces: Buffer[] = [];
        let size = 0;
        answer.on('data', (piece: Buffer) => {
          size += piece.length;
          if (size > maximumAnswerBytes) asking.destroy(new Error('the answer of the timeline is too long'));
          pieces.push(piece);
        });
        answer.on('error', reject);
        answer.on('end', () =>
          resolve(deliveryOf(answer.statusCode ?? 0, answer.headers['retry-after'], Buffer.concat(pieces).toString())),
        );
      });
      asking.on('timeout', () => asking.destroy(new Error('the timeline does not answer')));
      asking.on('error', reject);
      asking.end(body);
    });
  } catch (error) {
    if (error instanceof Unproven) return { kind: 'refused', status: 403, reason: error.message };
    throw error;
  }
}
