// The type that an answer without content has by the name of what was asked for (QuotingInputFilter of Hadoop's HttpServer2).

import { type Answer, empty, type Headers, text } from './answers.ts';

/** Endings of which Jetty knows the type: it says none of an answer without content. */
const known: ReadonlySet<string> = new Set(
  'avi bmp bz2 class css csv doc docx eot gif gz ico jar jpe jpeg jpg js json map mov mp3 mp4 mpeg mpg odt ogg pdf png ppt ps rtf sh svg tar tgz tif tiff tsv ttf txt wasm wav webp woff woff2 xls xlsx z zip'.split(
    ' ',
  ),
);

/** The content type, or undefined for none. */
export function typeByName(path: string): string | undefined {
  const ending = /\.(\w+)$/.exec(path)?.[1]?.toLowerCase() ?? '';
  if (ending === 'html' || ending === 'htm') return 'text/html;charset=utf-8';
  if (ending === 'xml' || ending === 'xsl' || ending === 'dtd') return 'text/xml;charset=utf-8';
  return known.has(ending) ? undefined : 'text/plain;charset=utf-8';
}

/** An answer without content. */
export function withoutContent(status: number, path: string, headers?: Headers): Answer {
  const type = typeByName(path);
  return type === undefined ? empty(status, headers) : text(status, '', type, headers);
}
