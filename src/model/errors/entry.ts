// What the catalogue says of one error.

/** One error: how it is answered and what it says. */
export interface ErrorEntry {
  /** HTTP status. */
  readonly status: number;
  /** The Java class old clients expect; the simple name is shown as `exception`. */
  readonly javaClass: string;
  /** The sentence; `{name}` stands for a parameter. Empty: no `message` member. */
  readonly message: string;
  /** Text in front of the sentence on the wire, as the 3.4 line prints wrapped exceptions (`java.lang.Exception: `). */
  readonly prefix?: string;
  /**
   * `record` (default): the RemoteException document; `text`: the bare sentence; `empty`: no body;
   * `filter`: JSON of the authentication filter, whatever was asked for; `page`: the servlet container's error page.
   */
  readonly form?: 'record' | 'text' | 'empty' | 'filter' | 'page';
  /** What the user can do, for the reference and the CLI. */
  readonly remedy?: string;
}
