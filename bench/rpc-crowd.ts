// A program that is a crowd at a port of Hadoop RPC: many connections that are idle, and callers who spoil, stall and do not read.
import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { probed, recordedProbes } from '../src/rpc/test-support/probes.ts';
import { RpcTestClient } from '../src/rpc/test-support/rpc-client.ts';
import { applicationClientProtocol as protocol } from '../src/wire/rpc/protocols/application-client.ts';
import { GetApplicationsRequestProto } from '../src/wire/rpc/tables/client-service.ts';

/** What the program is told. */
export interface CrowdOrder {
  readonly address: string;
  readonly idle: number;
}

/** What it says: how many are connected, and each second how many requests were refused. */
export type CrowdNews = { readonly connected: number } | { readonly refusals: number };

/** Connections that are made at a time. */
const width = 200;
const spoilers = 8;
const stallers = 20;
const slowFrameMs = 100;
const clientsPort = 8032;
/** The calls of one who reads none of the answers. */
const unread = 20;

let refusals = 0;

/** One that says who it is and nothing more; where it is closed another comes. */
async function idle(address: string): Promise<void> {
  const client = RpcTestClient.named(address, 'root', protocol.name);
  await new Promise((done) => client.socket.once('connect', done).once('error', done));
  void client.closed.then(() => setTimeout(() => void idle(address), slowFrameMs));
}

/** Sends what was recorded as wrong, again and again. */
async function spoil(address: string): Promise<never> {
  for (;;) {
    for (const probe of recordedProbes(clientsPort).filter(({ closed }) => closed)) {
      await probed(address, probe);
      refusals++;
    }
  }
}

const again = (socket: Socket, begin: () => void): void => {
  socket.on('error', () => undefined);
  socket.once('close', () => setTimeout(begin, slowFrameMs));
};

/** Announces the longest frame, and sends it byte by byte. */
function trickle(address: string): void {
  const [host, port] = address.split(':');
  const socket = connect(Number(port), host);
  socket.write(Buffer.from([0x68, 0x72, 0x70, 0x63, 9, 0, 0, 0, 3, 0xff, 0xff]));
  const sending = setInterval(() => socket.write(Buffer.of(8)), slowFrameMs);
  socket.once('close', () => clearInterval(sending));
  again(socket, () => trickle(address));
}

/** Asks for all applications again and again, and reads nothing of it. */
function ignore(address: string): void {
  const client = RpcTestClient.named(address, 'root', protocol.name);
  client.socket.removeAllListeners('data');
  client.socket.pause();
  for (let call = 0; call < unread; call++) client.begin(protocol, 'getApplications', GetApplicationsRequestProto, {});
  again(client.socket, () => ignore(address));
}

process.on('message', async ({ address, idle: count }: CrowdOrder) => {
  const say = (news: CrowdNews) => process.send?.(news);
  for (let connected = 0; connected < count; connected += width) await Promise.all(Array.from({ length: width }, () => idle(address)));
  for (let caller = 0; caller < stallers; caller++) {
    trickle(address);
    ignore(address);
  }
  for (let caller = 0; caller < spoilers; caller++) void spoil(address);
  say({ connected: count });
  for (;;) {
    await sleep(1000);
    say({ refusals });
    refusals = 0;
  }
});
