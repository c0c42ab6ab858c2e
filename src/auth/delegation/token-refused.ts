// The refusal of a delegation token. Whoever takes tokens knows it, without knowing how they are made.

/** Why a token is refused; the words are Hadoop's. */
export class TokenRefused extends Error {
  override readonly name = 'TokenRefused';
  readonly reason: 'undecodable' | 'unknown' | 'expired' | 'not-renewer' | 'not-allowed';

  constructor(reason: TokenRefused['reason'], message: string) {
    super(message);
    this.reason = reason;
  }
}
