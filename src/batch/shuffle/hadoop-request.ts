// What a reduce of Hadoop's MapReduce or Tez asks the shuffle for (ShuffleChannelHandler.channelRead0, netty's QueryStringDecoder).
import { createHmac } from 'node:crypto';

/** A request for parts of map outputs. */
export interface HadoopRequest {
  readonly job: string;
  readonly reduce: number;
  /** Names of outputs, in the order in which they are sent; one may stand there twice. */
  readonly maps: readonly string[];
  /** The connection stays open for further requests. */
  readonly keepAlive: boolean;
}

const missing = { refusal: 'Required param job, map and reduce' } as const;

/** Reads the query of a request's target, or says why it is refused. Parameters that are not known, such as Tez's `dag`, say nothing. */
export function readHadoopRequest(target: string): HadoopRequest | { readonly refusal: string } {
  const at = target.indexOf('?');
  // Netty takes a semicolon for what parts parameters, too.
  const query = new URLSearchParams(at < 0 ? '' : target.slice(at + 1).replaceAll(';', '&'));
  const [jobs, reduces, lists, keepAlives] = [query.getAll('job'), query.getAll('reduce'), query.getAll('map'), query.getAll('keepAlive')];
  if (jobs.length === 0 || reduces.length === 0 || lists.length === 0) return missing;
  if (jobs.length > 1 || reduces.length > 1) return { refusal: 'Too many job/reduce parameters' };
  const reduce = javaInteger(reduces[0]!);
  if (reduce === undefined) return { refusal: 'Bad reduce parameter' };
  const maps = lists.flatMap(javaSplit);
  if (maps.length === 0) return missing;
  return { job: jobs[0]!, reduce, maps, keepAlive: keepAlives.length === 1 && keepAlives[0]!.toLowerCase() === 'true' };
}

/** Integer.parseInt; undefined where it throws. */
function javaInteger(text: string): number | undefined {
  if (!/^[+-]?\d{1,32}$/.test(text)) return undefined;
  const number = Number(text);
  return number >= -0x8000_0000 && number <= 0x7fff_ffff ? number : undefined;
}

/** String.split(","): empty pieces at the end do not count, but an empty text is one piece. */
function javaSplit(text: string): string[] {
  const pieces = text.split(',');
  while (pieces.length > 1 && pieces.at(-1) === '') pieces.pop();
  return pieces.length === 1 && pieces[0] === '' && text !== '' ? [] : pieces;
}

/** The keyed hash of the shuffle (SecureShuffleUtils.generateHash). */
export const hadoopHash = (password: Buffer, message: string): string => createHmac('sha1', password).update(message).digest('base64');

/** What a reduce signs: the port, then the path with its query (SecureShuffleUtils.buildMsgFrom). */
export const signedMessage = (port: number, target: string): string => `${port}${target}`;
