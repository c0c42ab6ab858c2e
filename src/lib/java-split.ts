// How Java splits a text, where that decides what Hadoop answers.

/** Java's `String.split` at commas: empty parts at the end are dropped, but an empty text is one empty part. */
export function javaSplit(text: string): string[] {
  if (text === '') return [''];
  const parts = text.split(',');
  while (parts.at(-1) === '') parts.pop();
  return parts;
}
