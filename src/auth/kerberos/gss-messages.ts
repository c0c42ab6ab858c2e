// What a server and its GSS process say to each other: one JSON text a line, each answer with the number of its question.

/** A question. Tokens and messages are base64. */
export type GssQuestion =
  | { readonly id: number; readonly accept: string }
  /** `service` is `HTTP@host`. */
  | { readonly id: number; readonly initiate: string; readonly principal: string | undefined }
  /** A ticket of the KDC for a principal by its key, got anew; the answer says how long it lasts. */
  | { readonly id: number; readonly login: string; readonly keytab: string }
  /** A token for a service, of the principal that is logged in; where none is (the process may be a new one), it is logged in first. */
  | { readonly id: number; readonly show: string; readonly principal: string; readonly keytab: string }
  /** The first token of a caller whose messages will be wrapped: its context has the number of this question. */
  | { readonly id: number; readonly begin: string }
  | { readonly id: number; readonly context: number; readonly wrap: string; readonly isPrivate: boolean }
  | { readonly id: number; readonly context: number; readonly unwrap: string }
  /** The end of a context; it has no answer. */
  | { readonly forget: number };

/** First words of the process: that it can work, or why it cannot. */
export type GssGreeting = { readonly ready: true } | { readonly ready: false; readonly reason: string };

/** An answer. */
export type GssAnswer =
  | { readonly id: number; readonly user: string; readonly target: string; readonly token: string | undefined }
  | { readonly id: number; readonly token: string }
  | { readonly id: number; readonly lifetimeMs: number }
  | { readonly id: number; readonly message: string; readonly isPrivate: boolean }
  | { readonly id: number; readonly refused: string };
