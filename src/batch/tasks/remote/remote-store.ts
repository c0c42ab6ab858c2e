// Stores of files elsewhere, by whatever protocol, as tasks read them.

/** A file or folder of a store. */
export interface RemoteEntry {
  /** Its path there, as its address has it behind the host or bucket. */
  readonly path: string;
  readonly isFolder: boolean;
  /** Bytes; 0 of a folder. */
  readonly length: number;
  /** It can be read from its beginning alone. */
  readonly whole?: boolean;
}

/** One server or bucket. All calls reject with {@link RemoteFailure}. */
export interface RemoteStore {
  /** What lies at a path; undefined: nothing. */
  status(path: string): Promise<RemoteEntry | undefined>;
  /** What lies directly in a folder; undefined: the store cannot tell. */
  readonly entries?: (path: string) => Promise<readonly RemoteEntry[]>;
  /** The bytes of a file from a place on, as they come. What is read on after it broke off has to be the same file: `seen` is kept from read to read. */
  read(path: string, start: number, seen: SeenFile, signal?: AbortSignal): AsyncIterable<Buffer>;
}

/** What tells whether a file is still the one whose beginning was read. */
export interface SeenFile {
  version?: string | undefined;
}

/** How long and how often a server is asked. */
export interface Patience {
  /** For the head of an answer. */
  readonly answerMs: number;
  /** For the next piece of its body. */
  readonly stallMs: number;
  /** How often a call is made that fails in a way that may pass. */
  readonly attempts: number;
  /** Before the second time; each further wait is twice as long. */
  readonly waitMs: number;
}

/** Who reads, and by which settings (`fs.s3a.…`). */
export interface RemoteReader {
  readonly property: (name: string) => string | undefined;
  readonly user: string;
  readonly patience?: Patience;
}
