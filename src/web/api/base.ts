// Where this server lies for the browser: behind a reverse proxy it may be below any prefix. Scripts lie in `PREFIX/ui/assets/`.

/** `https://gateway/prefix/`. */
export const serverUrl = new URL(/* @vite-ignore */ '../../', import.meta.url);

/** An address of this server: `api/v1/events` becomes `https://gateway/prefix/api/v1/events`. */
export const serverAddress = (path: string): string => new URL(path.replace(/^\//, ''), serverUrl).href;

/** Where the pages lie, without a slash at the end. */
export const pagesPath = `${serverUrl.pathname}ui`;

/**
 * Another server of the cluster as this browser reaches it: an address of loopback, or of everywhere, is the machine that the page came from.
 * Cookies are kept by host name, so a name that says the same host keeps people signed in.
 */
export function otherServer(url: string, here: { readonly hostname: string } = location): string {
  if (!URL.canParse(url)) return url;
  const other = new URL(url);
  if (/^(?:localhost|127\.\d+\.\d+\.\d+|\[::1\]|0\.0\.0\.0|\[::\])$/.test(other.hostname)) other.hostname = here.hostname;
  return other.href.replace(/\/$/, '');
}
