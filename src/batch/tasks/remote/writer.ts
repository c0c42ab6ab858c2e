// Bringing files to other machines in two steps: first all bytes, seen by nobody; then what makes them a file of the output.
import type { JsonShape } from '../../../lib/json-shape.ts';
import { fields, type JsonOf, many, text } from '../../../lib/json-shape.ts';

/** A file whose bytes are there. `token` and `parts` are the store's own. */
const upload = fields({ path: text(), token: text(), parts: many(text()) });
export type Upload = JsonOf<typeof upload>;
/** What a task committed: all its files. */
export const uploads: JsonShape<{ readonly files: readonly Upload[] }> = fields({ files: many(upload) });

/** Writes below one folder of a store. All calls may be repeated. All reject with RemoteFailure. */
export interface RemoteWriter {
  /** Brings the bytes of a local file that is to become `path` (as addresses have it behind the host or bucket). */
  upload(file: string, path: string, signal?: AbortSignal): Promise<Upload>;
  /** Makes an upload the file that it is to become. */
  complete(upload: Upload): Promise<void>;
  abort(upload: Upload): Promise<void>;
  /** Writes a small file at once. */
  put(path: string, bytes: Buffer): Promise<void>;
  /** Removes whatever uploads are left below the folder that were not completed. */
  clear(): Promise<void>;
}
