/** The text without the characters `last` that stand at its end, in one pass: `/\/+$/` begins again at each slash of an inner run. */
export function withoutTrailing(text: string, last: string): string {
  let end = text.length;
  while (end > 0 && text[end - 1] === last) end--;
  return text.slice(0, end);
}
