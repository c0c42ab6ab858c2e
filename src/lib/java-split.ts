// How Java splits a text, where that decides what Hadoop answers.

/** Java's `String.split` at a separator: empty parts at the end are dropped, but an empty text is one empty part. */
export function javaSplit(text: string, separator = ','): string[] {
  if (text === '') return [''];
  const parts = text.split(separator);
  while (parts.at(-1) === '') parts.pop();
  return parts;
}
