// Files of a running container, as `/api/v1` of its node tells them. Names are bytes: one that is no UTF-8 comes in base64, and is asked for so.
import { fields, type JsonOf, many, number, optional, text, truth, word } from '../../lib/json-shape.ts';

/** What an entry of a folder is. */
export const fileKinds = ['file', 'folder', 'link', 'pipe', 'socket', 'device', 'other'] as const;
export type FileKind = (typeof fileKinds)[number];

const kind = word(...fileKinds);

/** An entry of a folder. */
export const fileEntry = fields({
  /** What of it can be read, where it is no UTF-8. */
  name: text(),
  /** Its bytes, where they are no UTF-8. */
  nameBase64: optional(text()),
  kind,
  /** Of a link: where it leads. */
  leadsTo: optional(text()),
  /** Of a link: what is there; absent where nothing is, or nothing that the container's user reaches. */
  leadsToKind: optional(kind),
  bytes: number({ minimum: 0 }),
  /** ms since the epoch. */
  modifiedTime: number(),
  /** As of chmod: `644`. */
  mode: text(),
});
export type FileEntry = JsonOf<typeof fileEntry>;

/** A folder of a container. */
export const folderListing = fields({
  containerId: text(),
  /** From the container's folder on, '' for that itself; what of it can be read. */
  path: text(),
  entries: many(fileEntry),
  /** There are more entries than are listed. */
  more: truth(),
});
export type FolderListing = JsonOf<typeof folderListing>;

/** Headers of a file: how long it was when it was opened, and the byte that the answer begins with. */
export const fileHeaders = { bytes: 'heddle-file-bytes', start: 'heddle-file-start', modifiedTime: 'heddle-file-modified' } as const;

/** Bytes of a file in one answer, at most. */
export const mostFileBytes = 1024 ** 3;
