// How reduces fetch map outputs: GET /mapOutput?job=…&reduce=…&map=…,… on the node's shuffle port, authorised by a keyed hash of the
// request line (as Hadoop's SecureShuffleUtils, with SHA-256).
import { createHmac } from 'node:crypto';
import { readVariableInteger, variableIntegerSize, variableIntegerSizeAt, writeVariableInteger } from '../../wire/files/writables.ts';

/** The service data key under which the node manager passes a job's token on, and the auxiliary service's name. */
export const shuffleService = 'mapreduce_shuffle';
/** The path of a request for map outputs. */
export const mapOutputPath = '/mapOutput';
export const hashHeader = 'urlhash';
export const replyHashHeader = 'replyhash';
export const protocolName = 'mapreduce';
export const protocolVersion = '1.0.0';
/** At most this many maps are asked for in one request. */
export const mapsPerRequest = 20;

/** Keyed hash of a request line or of a request's hash. */
export function hashOf(token: Buffer, message: string): string {
  return createHmac('sha256', token).update(message).digest('base64');
}

/** The header before each map's bytes. */
export interface ShuffleHeader {
  readonly mapId: string;
  /** Bytes that follow, checksum included. */
  readonly partLength: number;
  readonly rawLength: number;
  readonly reduce: number;
}

/** Map id as Text, part length, raw length, reduce: all variable-length (Hadoop's ShuffleHeader). */
export function encodeShuffleHeader(header: ShuffleHeader): Buffer {
  const id = Buffer.from(header.mapId);
  const numbers = [header.partLength, header.rawLength, header.reduce];
  const bytes = Buffer.alloc(
    variableIntegerSize(id.length) + id.length + numbers.reduce((sum, number) => sum + variableIntegerSize(number), 0),
  );
  let at = writeVariableInteger(bytes, 0, id.length);
  at += id.copy(bytes, at);
  for (const number of numbers) at = writeVariableInteger(bytes, at, number);
  return bytes;
}

/** Reads a header at the start of `bytes`; undefined where more bytes are needed. @throws Error for an impossible id length */
export function decodeShuffleHeader(bytes: Buffer): { header: ShuffleHeader; size: number } | undefined {
  let at = 0;
  const number = (): number | undefined => {
    if (at >= bytes.length || at + variableIntegerSizeAt(bytes, at) > bytes.length) return undefined;
    const value = readVariableInteger(bytes, at);
    at += variableIntegerSizeAt(bytes, at);
    return value;
  };
  const idLength = number();
  if (idLength === undefined) return undefined;
  if (idLength < 0 || idLength > 200) throw new Error('shuffle header with an impossible map id');
  if (at + idLength > bytes.length) return undefined;
  const mapId = bytes.toString('utf8', at, at + idLength);
  at += idLength;
  const partLength = number();
  const rawLength = number();
  const reduce = number();
  if (partLength === undefined || rawLength === undefined || reduce === undefined) return undefined;
  return { header: { mapId, partLength, rawLength, reduce }, size: at };
}

/** A job's token as service data: it is a secret and travels only inside launch contexts. */
export function encodeServiceData(token: Buffer): string {
  return token.toString('base64');
}
