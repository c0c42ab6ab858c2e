// Answers that say no, for every client: nothing here needs Node.

/** An answer that says no. `message` is the server's own sentence where it gave one. */
export class RemoteFailure extends Error {
  override readonly name = 'RemoteFailure';
  readonly status: number;
  /** Simple name of Hadoop's exception, such as `NotFoundException`. */
  readonly exception: string | undefined;
  readonly url: string;

  constructor(url: string, status: number, message: string, exception: string | undefined) {
    super(message);
    this.url = url;
    this.status = status;
    this.exception = exception;
  }
}

/** How much of an answer that is no JSON is looked at for a message, in characters. */
const longestFailure = 16 * 1024;

/** The failure in an answer: Hadoop's RemoteException, wrapped or bare, or the start of its text. */
export function remoteFailure(answer: { readonly url: string; readonly status: number }, text: string): RemoteFailure {
  try {
    const body = JSON.parse(text) as { RemoteException?: unknown };
    const fault = (body.RemoteException ?? body) as { message?: unknown; exception?: unknown };
    if (typeof fault.message === 'string') {
      const message = fault.message.replace(/^(?:[a-z]+\.)+\w*(?:Exception|Error): /, '');
      return new RemoteFailure(answer.url, answer.status, message, typeof fault.exception === 'string' ? fault.exception : undefined);
    }
  } catch {
    // Not JSON: the text itself is the message.
  }
  const plain = text
    .slice(0, longestFailure)
    .replace(/<(title|style|script)>[^<]*<\/\1>/gi, ' ')
    .replace(/<[^<>]*>/g, ' ')
    .replace(/\s+/g, ' ')
    .trim();
  // Every server of a cluster answers 404 in its own form. What nothing but servers of other kinds and gateways say is theirs.
  const isStrange = [404, 405, 501].includes(answer.status);
  const message =
    isStrange || answer.status > 501 || plain === ''
      ? `${new URL(answer.url).origin} answered ${answer.status}${plain && `: ${plain.slice(0, 200)}`}${isStrange ? '; is it the right server?' : ''}`
      : plain.slice(0, 300);
  return new RemoteFailure(answer.url, answer.status, message, undefined);
}
