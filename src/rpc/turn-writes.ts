// What is written to connections in one turn of the event loop leaves at its end, for each connection in one piece: the reason stands in
// `http/turn-end.ts`. A client that calls several times at once is answered in one write, too.
import type { Socket } from 'node:net';
import { TurnEnd } from '../lib/turn-end.ts';

const corked = new TurnEnd<Socket>((socket) => socket.uncork());

/** Writes at the end of this turn, or before the end of the connection. */
export function writeWithTurn(socket: Socket, bytes: Buffer): void {
  if (socket.writableCorked === 0) {
    socket.cork();
    corked.add(socket);
  }
  socket.write(bytes);
}
