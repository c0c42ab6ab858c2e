// Why a resource could not be brought to a container; the text is shown in the container's diagnostics as Hadoop prints it.

/** A failed localization: `javaClass: message` is what Hadoop prints of it. */
export class LocalizationFailure extends Error {
  override readonly name = 'LocalizationFailure';
  readonly javaClass: string;
  constructor(message: string, javaClass = 'java.io.IOException') {
    super(message);
    this.javaClass = javaClass;
  }
  /** The lines for the diagnostics. */
  get diagnostics(): string {
    return `${this.message}\n${this.javaClass}: ${this.message}\n`;
  }
}

/** `file:/a/b` as Hadoop's Path prints `file:///a/b`; other URIs unchanged. */
export function pathText(uri: string): string {
  return uri.replace(/^file:\/\/(?=\/)/, 'file:');
}
