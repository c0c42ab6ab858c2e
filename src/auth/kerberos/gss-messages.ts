// What a server and its GSS process say to each other: one JSON text a line, each answer with the number of its question.

/** A question. Tokens are base64. */
export type GssQuestion =
  | { readonly id: number; readonly accept: string }
  /** `service` is `HTTP@host`. */
  | { readonly id: number; readonly initiate: string; readonly principal: string | undefined };

/** First words of the process: that it can work, or why it cannot. */
export type GssGreeting = { readonly ready: true } | { readonly ready: false; readonly reason: string };

/** An answer. */
export type GssAnswer =
  | { readonly id: number; readonly user: string; readonly target: string; readonly token: string | undefined }
  | { readonly id: number; readonly token: string }
  | { readonly id: number; readonly refused: string };
