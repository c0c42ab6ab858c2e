// How a store elsewhere fails.

/** Thrown where a store does not do what it was asked for; named as the exception that Hadoop has for it. */
export class RemoteFailure extends Error {
  override readonly name: string;
  constructor(message: string, javaClass = 'java.io.IOException', options: { cause?: unknown } = {}) {
    super(message, options);
    this.name = javaClass;
  }
}
