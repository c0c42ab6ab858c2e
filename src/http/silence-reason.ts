// Why a master gave the web proxy no answer that can be passed on, in words: libraries name codes.

const words: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'nothing listens there',
  ECONNRESET: 'it closed the connection',
  EPIPE: 'it closed the connection',
  UND_ERR_SOCKET: 'it closed the connection',
  EHOSTUNREACH: 'its host cannot be reached',
  ENETUNREACH: 'its host cannot be reached',
  ENOTFOUND: 'its host has no address',
  EAI_AGAIN: 'the address of its host could not be looked up',
  ETIMEDOUT: 'it took too long',
  UND_ERR_CONNECT_TIMEOUT: 'it took too long to connect',
  UND_ERR_HEADERS_TIMEOUT: 'it took too long',
  UND_ERR_BODY_TIMEOUT: 'it stopped in the midst of its answer',
  UND_ERR_HEADERS_OVERFLOW: 'the headers of its answer are too long',
  HPE_HEADER_OVERFLOW: 'the headers of its answer are too long',
  UND_ERR_RES_CONTENT_LENGTH_MISMATCH: 'its answer has another length than it says',
};

/**
 * The reason of an error of a connection, or of an answer that a parser of HTTP took for none; a code without words stands as it is. Requests that
 * are given up fail with an error of the web's, whose code is a number.
 */
export function silenceReason({
  code: given,
  name,
  message,
}: {
  readonly code?: string | number;
  readonly name: string;
  readonly message: string;
}): string {
  if (name === 'AbortError') return 'who asked went away';
  const code = typeof given === 'string' ? given : '';
  const isNoHttp = name === 'HTTPParserError' || code.startsWith('HPE_');
  return words[code] ?? (isNoHttp ? 'what it says is no answer of HTTP' : code || message);
}
