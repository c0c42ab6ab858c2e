// The objects of a bucket whose keys begin alike (ListObjectsV2), page by page.

export interface S3Object {
  readonly key: string;
  readonly bytes: number;
  readonly modifiedMs: number;
}
/** A listing that cannot be what the bucket has: what is missing in it would be taken for not there. */
export class BadListing extends Error {
  override readonly name = 'BadListing';
}

export interface S3Listing {
  readonly objects: readonly S3Object[];
  /** With a delimiter: names of what lies deeper, without the prefix. */
  readonly folders: readonly string[];
}

/** All objects below a prefix; with a delimiter those directly below it. `ask` sends a query to the bucket and gives the text of the answer. */
export async function listObjects(
  ask: (query: Readonly<Record<string, string>>) => Promise<string>,
  prefix: string,
  delimiter?: string,
): Promise<S3Listing> {
  const objects: S3Object[] = [];
  const folders: string[] = [];
  for (let token: string | undefined; ; ) {
    const text = await ask({
      'list-type': '2',
      'encoding-type': 'url',
      prefix,
      ...(delimiter === undefined ? {} : { delimiter }),
      ...(token === undefined ? {} : { 'continuation-token': token }),
    });
    const page = readPage(text, prefix);
    for (const object of page.objects) objects.push(object);
    for (const folder of page.folders) folders.push(folder);
    if (page.next === '') return { objects, folders };
    if (page.next === token) throw new BadListing('the store goes on with its listing where it has been');
    token = page.next;
  }
}

/** One page of a listing; `next` asks for the one behind it, empty where there is none. */
export function readPage(text: string, prefix: string): S3Listing & { readonly next: string } {
  if (!text.includes('</ListBucketResult>') && !/<ListBucketResult[^>]*\/>/.test(text))
    throw new BadListing('the store answers no listing, or a part of one');
  const objects = elements(text, 'Contents').map((entry) => ({
    key: decoded(part(entry, 'Key')),
    bytes: sizeOf(part(entry, 'Size')),
    modifiedMs: Date.parse(part(entry, 'LastModified')),
  }));
  const folders = elements(text, 'CommonPrefixes')
    .map((entry) => decoded(part(entry, 'Prefix')).slice(prefix.length, -1))
    .filter((name) => name !== '' && name !== '.' && name !== '..' && !name.includes('/'));
  const next = part(text, 'NextContinuationToken');
  if (next === '' && part(text, 'IsTruncated') === 'true')
    throw new BadListing('the store breaks its listing off and does not say how to go on');
  return { objects, folders, next };
}

function sizeOf(text: string): number {
  if (!/^\d+$/.test(text)) throw new BadListing('the store lists an object without its size');
  return Number(text);
}

/** An upload in parts that was begun and not ended. */
export interface S3Upload {
  readonly key: string;
  readonly uploadId: string;
}

/** All uploads under way below a prefix (ListMultipartUploads). */
export async function listUploads(ask: (query: Readonly<Record<string, string>>) => Promise<string>, prefix: string): Promise<S3Upload[]> {
  const found: S3Upload[] = [];
  for (let markers: Record<string, string> = {}; ; ) {
    const text = await ask({ uploads: '', 'encoding-type': 'url', prefix, ...markers });
    if (!text.includes('</ListMultipartUploadsResult>')) throw new BadListing('the store answers no list of uploads, or a part of one');
    for (const entry of elements(text, 'Upload')) found.push({ key: decoded(part(entry, 'Key')), uploadId: part(entry, 'UploadId') });
    if (part(text, 'IsTruncated') !== 'true') return found;
    markers = { 'key-marker': decoded(part(text, 'NextKeyMarker')), 'upload-id-marker': part(text, 'NextUploadIdMarker') };
  }
}

const largestCodePoint = 0x10ffff;

/** What stands in the elements of a name that do not nest, in one pass. */
const elements = (xml: string, name: string): string[] =>
  xml
    .split(`</${name}>`)
    .slice(0, -1)
    .flatMap((before) => before.split(`<${name}>`).slice(1, 2));

const part = (xml: string, name: string): string =>
  (new RegExp(`<${name}>([^<]*)</${name}>`).exec(xml)?.[1] ?? '').replace(/&(amp|lt|gt|quot|apos|#\d+);/g, (whole, entity: string) =>
    entity.startsWith('#')
      ? Number(entity.slice(1)) <= largestCodePoint
        ? String.fromCodePoint(Number(entity.slice(1)))
        : whole
      : ({ amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" }[entity] ?? whole),
  );

const decoded = (text: string): string => {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch {
    return text;
  }
};
