// Paths of files in a container as addresses and requests have them. Names are bytes: a path that is no UTF-8 stands as its bytes in base64.

const mark = 'base64:';
const decoder = new TextDecoder('utf-8', { fatal: true });

const bytesOf = (base64: string): Uint8Array => Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0));

/** The bytes of a path. */
export const pathBytes = (path: string): Uint8Array =>
  path.startsWith(mark) ? bytesOf(path.slice(mark.length)) : new TextEncoder().encode(path);

/** Bytes as a path. */
function pathOf(bytes: Uint8Array): string {
  try {
    const text = decoder.decode(bytes);
    if (!text.startsWith(mark)) return text;
  } catch {
    // Told as bytes.
  }
  return mark + btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(''));
}

/** An entry of a folder. */
export function joined(folder: string, entry: { readonly name: string; readonly nameBase64?: string | undefined }): string {
  const above = pathBytes(folder);
  const own = entry.nameBase64 === undefined ? new TextEncoder().encode(entry.name) : bytesOf(entry.nameBase64);
  return pathOf(above.length === 0 ? own : Uint8Array.of(...above, slash, ...own));
}

const slash = 0x2f;

/** The folder itself, and all above it, outermost first: what each is called, and its path. */
export function stepsOf(path: string): readonly { readonly name: string; readonly path: string }[] {
  const bytes = pathBytes(path);
  const steps: { name: string; path: string }[] = [];
  for (let from = 0; from < bytes.length; ) {
    const at = bytes.indexOf(slash, from);
    const end = at < 0 ? bytes.length : at;
    if (end > from) steps.push({ name: new TextDecoder().decode(bytes.slice(from, end)), path: pathOf(bytes.slice(0, end)) });
    from = end + 1;
  }
  return steps;
}

/** The parameter that names a path in a request. */
export const pathParameter = (path: string): Readonly<Record<string, string>> =>
  path.startsWith(mark) ? { pathBase64: path.slice(mark.length) } : { path };

/** Whether bytes of a file are no text for people: zeros, or hardly any letters. */
export function isBinary(bytes: Uint8Array): boolean {
  const looked = bytes.subarray(0, lookedAt);
  if (looked.includes(0)) return true;
  const odd = looked.filter((byte) => byte < 0x20 && byte !== 9 && byte !== 10 && byte !== 12 && byte !== 13 && byte !== 27).length;
  const unread = [...new TextDecoder().decode(looked)].filter((letter) => letter === '\ufffd').length;
  return odd + unread > looked.length / 10;
}

const lookedAt = 4096;
