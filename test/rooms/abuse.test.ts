import { room } from '../support/room.ts';

room(
  'test/abuse/callers.test.ts',
  'test/abuse/folders.test.ts',
  'test/abuse/lists.test.ts',
  'test/abuse/protocols.test.ts',
  'test/abuse/random-bodies.test.ts',
  'test/abuse/rpc-ports.test.ts',
);
