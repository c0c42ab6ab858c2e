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

const systemWords: Readonly<Record<string, string>> = {
  ENOSPC: 'No space left on device',
  EDQUOT: 'Disk quota exceeded',
  EROFS: 'Read-only file system',
  ENAMETOOLONG: 'a name in it is too long for this node',
  EEXIST: 'it holds a file and a folder of the same name',
  ENOTDIR: 'it holds a file and a folder of the same name',
  EISDIR: 'it holds a file and a folder of the same name',
  EIO: 'Input/output error',
};

/** What went wrong with the resource `uri`, in words that a user understands and of a length that diagnostics bear. */
export function asLocalizationFailure(error: unknown, uri = ''): LocalizationFailure {
  if (error instanceof LocalizationFailure) return error;
  const { code, message } = error as NodeJS.ErrnoException;
  const words = code === undefined ? undefined : systemWords[code];
  if (words !== undefined) return new LocalizationFailure(`${uri.slice(0, 1000)}: ${words}`);
  return new LocalizationFailure((message ?? String(error)).slice(0, 1000));
}

/** `file:/a/b` as Hadoop's Path prints `file:///a/b`; other URIs unchanged. */
export function pathText(uri: string): string {
  return uri.replace(/^file:\/\/(?=\/)/, 'file:');
}
