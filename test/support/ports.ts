import { createServer, type Server } from 'node:net';

// Below the ports that the system and `--ports auto` give away, in pieces: who holds the first port of a piece has the others for itself. So no
// other test takes a port between its choice and its use.
const lowestPort = 10_000;
const pieces = 220;
const portsOfPiece = 50;
const own: number[] = [];

/** Listens on a port of loopback; undefined where another socket has it. */
function listen(port: number): Promise<Server | undefined> {
  const server = createServer();
  return new Promise((done) => {
    server.once('error', () => done(undefined));
    server.listen(port, '127.0.0.1', () => done(server));
  });
}

/** Takes a piece that no other process has, until this process ends. */
async function takePiece(): Promise<void> {
  const from = Math.floor(Math.random() * pieces);
  for (let i = 0; i < pieces; i++) {
    const first = lowestPort + ((from + i) % pieces) * portsOfPiece;
    const server = await listen(first);
    if (!server) continue;
    server.unref();
    for (let port = first + 1; port < first + portsOfPiece; port++) own.push(port);
    return;
  }
  throw new Error('no ports are free');
}

/** Ports that are free on loopback and that no other test gets; all different. */
export async function freePorts(count: number): Promise<number[]> {
  const found: number[] = [];
  while (found.length < count) {
    const port = own.shift();
    if (port === undefined) {
      await takePiece();
      continue;
    }
    const server = await listen(port);
    if (!server) continue;
    await new Promise((done) => server.close(done));
    found.push(port);
  }
  return found;
}
