// The objects of a bucket whose keys begin alike (ListObjectsV2), page by page.

export interface S3Object {
  readonly key: string;
  readonly bytes: number;
  readonly modifiedMs: number;
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
    objects.push(...page.objects);
    folders.push(...page.folders);
    if (page.next === '') return { objects, folders };
    token = page.next;
  }
}

/** One page of a listing; `next` asks for the one behind it, empty where there is none. */
export function readPage(text: string, prefix: string): S3Listing & { readonly next: string } {
  const objects = elements(text, 'Contents').map((entry) => ({
    key: decoded(part(entry, 'Key')),
    bytes: Number(part(entry, 'Size')),
    modifiedMs: Date.parse(part(entry, 'LastModified')),
  }));
  const folders = elements(text, 'CommonPrefixes')
    .map((entry) => decoded(part(entry, 'Prefix')).slice(prefix.length, -1))
    .filter((name) => name !== '' && name !== '.' && name !== '..' && !name.includes('/'));
  return { objects, folders, next: part(text, 'NextContinuationToken') };
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
