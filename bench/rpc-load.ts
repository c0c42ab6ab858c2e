// A program that is the masters of `bench/rpc.ts`: each has a connection, and calls again as soon as it is answered.
import { FrameReader } from '../src/rpc/frames.ts';
import { RpcTestClient } from '../src/rpc/test-support/rpc-client.ts';
import { decodeDelimited, encodeDelimited, part } from '../src/wire/rpc/codec.ts';
import { applicationMasterProtocol as protocol } from '../src/wire/rpc/protocols/application-master.ts';
import { AllocateRequestProto, AllocateResponseProto } from '../src/wire/rpc/tables/master-service.ts';
import { RequestHeaderProto, RpcRequestHeaderProto, RpcResponseHeaderProto } from '../src/wire/rpc/tables/transport.ts';
import { percentile } from './measure.ts';
import type { LoadNews, LoadOrder } from './rpc.ts';

/** Long enough for a virtual machine to have compiled what is called. */
const warmUpMs = 8000;
/** Every so many answers are looked into. */
const lookEach = 64;
const clientId = Buffer.alloc(16, 1);
const headers = encodeDelimited(
  part(RpcRequestHeaderProto, { rpcKind: 'RPC_PROTOCOL_BUFFER', rpcOp: 'RPC_FINAL_PACKET', callId: 7, clientId, retryCount: 0 }),
  part(RequestHeaderProto, { methodName: 'allocate', declaringClassProtocolName: protocol.name, clientProtocolVersion: protocol.version }),
);

/** A call as Hadoop's client library makes it where nothing changed. */
function callOf(responseId: number): Buffer {
  const body = encodeDelimited(part(AllocateRequestProto, { blacklist_request: {}, response_id: responseId, progress: 0.5 }));
  const frame = Buffer.allocUnsafe(4 + headers.length + body.length);
  frame.writeInt32BE(headers.length + body.length, 0);
  frame.set(headers, 4);
  frame.set(body, 4 + headers.length);
  return frame;
}

/** Throws where the answer is none to the call. */
function check(frame: Buffer, responseId: number): void {
  const { value: header, next } = decodeDelimited(RpcResponseHeaderProto, frame);
  if (header.status !== 'SUCCESS') throw new Error(`${header.exceptionClassName}: ${header.errorMsg}`);
  if (responseId % lookEach !== 0) return;
  const { value } = decodeDelimited(AllocateResponseProto, frame, next);
  if (value.response_id !== responseId) throw new Error(`answer ${value.response_id} to call ${responseId - 1}`);
}

async function master(address: string, [identifier, password]: LoadOrder['tokens'][number], answered: (ms: number) => void): Promise<void> {
  const token = { identifier: Buffer.from(identifier, 'base64'), password: Buffer.from(password, 'base64') };
  const client = await RpcTestClient.proven(address, token, protocol.name);
  await client.call(protocol, 'registerApplicationMaster', { host: 'bench' });
  const { socket } = client;
  socket.setNoDelay(true);
  socket.removeAllListeners('data');
  const frames = new FrameReader();
  let responseId = 0;
  let sentMs = performance.now();
  const send = (): void => {
    sentMs = performance.now();
    socket.write(callOf(responseId));
  };
  socket.on('data', (chunk: Buffer) => {
    frames.push(chunk);
    for (let frame = frames.frame(2 ** 20); frame; frame = frames.frame(2 ** 20)) {
      check(frame, ++responseId);
      answered(performance.now() - sentMs);
      send();
    }
  });
  send();
}

process.on('message', async ({ address, tokens, durationMs }: LoadOrder) => {
  const say = (news: LoadNews) => process.send?.(news);
  const times: number[] = [];
  let isMeasured = false;
  await Promise.all(tokens.map((token) => master(address, token, (ms) => isMeasured && times.push(ms))));
  setTimeout(() => {
    say({ begins: true });
    const beganMs = performance.now();
    isMeasured = true;
    setTimeout(() => {
      isMeasured = false;
      say({ heartbeats: times.length, seconds: (performance.now() - beganMs) / 1000, p99Ms: percentile(times, 0.99) });
    }, durationMs);
  }, warmUpMs);
});
