// What a shell in a container is told and tells over its web socket, `/container/{id}` with the subprotocol `heddle.shell.v1`: texts are
// JSON, bytes are streams. The client sends bytes of the input as they are; the server puts the number of the stream before each piece.
// Without the subprotocol it is as Hadoop's client has it (ContainerShellWebSocket): texts both ways, and `1{}` again and again.
import { fields, type JsonOf, many, optional, tagged, text, whole } from '../../lib/json-shape.ts';

/** The subprotocol of Heddle's own client. */
export const shellProtocol = 'heddle.shell.v1';
/** What Hadoop's client sends ten times a second. */
export const hadoopHeartbeat = '1{}';
/** Bytes of input that may be on their way: what the server has not said to be taken. */
export const mostInputBytes = 256 * 1024;
/** Longest message of a client, in bytes. */
export const longestShellMessage = 128 * 1024;
/** Numbers of streams, the first byte of a piece. */
export const shellStreams = { output: 1, errors: 2 } as const;

const characters = whole({ minimum: 1, maximum: 5000 });
const size = { rows: characters, columns: characters };

/** What a client says. The first message is `start`. */
export const shellRequest = tagged('type', {
  /** Program and parameters, none for a shell; with a terminal of this size and type, or without. */
  start: {
    command: many(text({ maxLength: 65_536 }), { maxItems: 1000 }),
    terminal: optional(fields({ ...size, type: text({ minLength: 1, maxLength: 64 }) })),
    /** So many bytes of output may be on their way: what the client has not said to be taken. Absent: as many as the connection holds. */
    mostOutputBytes: optional(whole({ minimum: 1 })),
  },
  resize: size,
  /** So many bytes of output more may be sent. */
  taken: { bytes: whole({ minimum: 1 }) },
  /** No more input comes. */
  endInput: {},
});
export type ShellRequest = JsonOf<typeof shellRequest>;

/** What the server says. The last message is `exit`. */
export const shellAnswer = tagged('type', {
  started: {},
  /** So many bytes of input more may be sent. */
  taken: { bytes: whole({ minimum: 1 }) },
  exit: { exitCode: whole({ minimum: 0, maximum: 255 }) },
});
export type ShellAnswer = JsonOf<typeof shellAnswer>;
