// Recorded requests that are wrong in one way each, what Hadoop answered, and how a server of ours is asked the same (test/compatibility/rpc).
import { readFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { decodeDelimited } from '../../wire/rpc/codec.ts';
import { RpcResponseHeaderProto } from '../../wire/rpc/tables/transport.ts';

const recordings = join(import.meta.dirname, '../../../test/compatibility/rpc');

/** A line of a recording. */
export const recordedLines = <Line>(name: string): readonly Line[] =>
  readFileSync(join(recordings, name), 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Line);

/** One such request; bytes in Base64. */
export interface Probe {
  /** What is wrong. */
  readonly probe: string;
  readonly port: number;
  readonly sent: string;
  readonly received: string;
  readonly closed: boolean;
}

/** Those to a port of Hadoop's. */
export const recordedProbes = (port: number): readonly Probe[] =>
  recordedLines<Probe>('probes.jsonl').filter((probe) => probe.port === port);

/** Header of each frame, the first line of what is said in place of Java's stack, and the bytes of the body. */
export function framesOf(bytes: Buffer): object[] {
  const frames: object[] = [];
  for (let at = 0; at + 4 <= bytes.length; ) {
    const frame = bytes.subarray(at + 4, at + 4 + bytes.readInt32BE(at));
    const { value, next } = decodeDelimited(RpcResponseHeaderProto, frame);
    const { clientId, errorMsg, ...header } = value;
    frames.push({
      ...header,
      clientId: clientId && Buffer.from(clientId).toString('hex'),
      says: errorMsg?.split('\n')[0],
      bytes: frame.length - next,
    });
    at += 4 + frame.length;
  }
  return frames;
}

/** Sends bytes; what comes back until as much is there as was recorded, and whether the server closes the connection then. */
export function probed(address: string, { sent, received, closed }: Probe): Promise<{ readonly bytes: Buffer; readonly closed: boolean }> {
  const [host, port] = address.split(':');
  const frames = wholeFrames(Buffer.from(received, 'base64'));
  return new Promise((resolve) => {
    let bytes = Buffer.alloc(0);
    const socket = connect(Number(port), host, () => socket.write(Buffer.from(sent, 'base64')));
    const done = (isClosed: boolean) => {
      socket.destroy();
      resolve({ bytes, closed: isClosed });
    };
    socket.on('data', (chunk: Buffer) => {
      bytes = Buffer.concat([bytes, chunk]);
      if (!closed && wholeFrames(bytes) >= frames) done(false);
    });
    socket.on('error', () => undefined);
    socket.on('close', () => done(true));
  });
}

function wholeFrames(bytes: Buffer): number {
  let count = 0;
  for (let at = 0; at + 4 <= bytes.length; count++) {
    const length = bytes.readInt32BE(at);
    if (length < 0 || at + 4 + length > bytes.length) return count;
    at += 4 + length;
  }
  return count;
}
