// What a service asks of paths and their templates (`/apps/:appid`, `/proxy/*`).

/** Whether the fixed parts of a path stand in the request as they are: escaped letters in them match nothing, as in Jersey. */
export function isLiteral(template: string, path: string): boolean {
  const parts = path.split('/');
  return template.split('/').every((part, index) => part.startsWith(':') || part === '*' || part === parts[index]);
}

/** Whether a path is one of a template's. */
export function matches(template: string, path: string): boolean {
  const parts = path.replace(/\/$/, '').split('/');
  const expected = template.replace(/\/$/, '').split('/');
  if (expected.at(-1) === '*')
    return expected.slice(0, -1).every((part, index) => part === parts[index]) && parts.length >= expected.length;
  return (
    expected.length === parts.length &&
    expected.every((part, index) => part === parts[index] || (part.startsWith(':') && parts[index] !== ''))
  );
}

/** A request's URL without its query. */
export const pathOf = (url: string): string => {
  const at = url.indexOf('?');
  return at < 0 ? url : url.slice(0, at);
};
/** The query of a request's URL, without its question mark. */
export const queryOf = (url: string): string => {
  const at = url.indexOf('?');
  return at < 0 ? '' : url.slice(at + 1);
};

/** The scheme of what comes over a connection. */
export const schemeOf = (socket: object): 'http' | 'https' => ('encrypted' in socket ? 'https' : 'http');
