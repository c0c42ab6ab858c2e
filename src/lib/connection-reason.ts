// Why a server gave no answer, in words: libraries name codes, and OpenSSL its own source lines. Behind the name of the server, which is "it".

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
  ERR_SSL_WRONG_VERSION_NUMBER: 'it does not speak TLS there: http may be meant',
  ERR_SSL_PACKET_LENGTH_TOO_LONG: 'it does not speak TLS there: http may be meant',
};

/** Whether an error's code says that a certificate was not believed. */
export const isOfCertificate = (code: string): boolean => /CERT|UNABLE_TO_|SELF_SIGNED|ALTNAME/.test(code);

/**
 * The reason of an error of a connection, or of an answer that a parser of HTTP took for none; a code without words stands as it is. Requests that
 * are given up fail with an error of the web's, whose code is a number.
 */
export function connectionReason(error: Error & { readonly code?: unknown; readonly hostname?: unknown }): string {
  const { name, message, hostname } = error;
  if (name === 'AbortError') return 'who asked went away';
  const code = typeof error.code === 'string' ? error.code : '';
  if (code === 'ENOTFOUND' && typeof hostname === 'string') return `its host ${hostname} has no address`;
  // What fetch says of ports that belong to other protocols (https://fetch.spec.whatwg.org/#port-blocking).
  if (code === '' && message === 'bad port') return 'its port belongs to another protocol, and is never asked by HTTP';
  // Of certificates OpenSSL speaks in words.
  if (isOfCertificate(code)) return message;
  const isNoHttp = name === 'HTTPParserError' || code.startsWith('HPE_');
  return words[code] ?? (isNoHttp ? 'what it says is no answer of HTTP' : code || message);
}
