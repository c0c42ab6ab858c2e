// Credentials in addresses: a delegation token may stand in a query, and is for the server that was asked alone.

/** The query parameter that may carry a delegation token. */
export const tokenParameter = 'delegation';

function decoded(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch {
    return text;
  }
}

/** A query as it was written, but for a delegation token. */
export const withoutToken = (query: string): string =>
  query
    .split('&')
    .filter((part) => decoded(part.split('=', 1)[0] ?? '') !== tokenParameter)
    .join('&');

/** An address to which a caller is sent, without a token that the caller showed. */
export function addressWithoutToken(address: string): string {
  const [, before = '', query, behind = ''] = /^([^?#]*)(?:\?([^#]*))?(#.*)?$/s.exec(address) ?? [];
  if (query === undefined) return address;
  const kept = withoutToken(query);
  return kept === query ? address : `${before}${kept === '' ? '' : `?${kept}`}${behind}`;
}
