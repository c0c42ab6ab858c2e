// The few pages every server has: not found, moved, container errors. Texts as Hadoop's, markup our own.

import { escapeXml } from '../wire/codec/xml.ts';
import { type Html, type HtmlValue, html, joined } from './html.ts';

/** The icon of plain pages, in the page itself: nothing else has to be asked for. */
export const pageIcon: Html = html`<link rel="icon" href="data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 32 32'%3E%3Crect width='32' height='32' rx='7' fill='%230f766e'/%3E%3Cpath d='M8 7v18M16 7v18M24 7v18M5 16c4-4 7-4 11 0s7 4 11 0' fill='none' stroke='%23fff' stroke-width='2.4'/%3E%3C/svg%3E">`;

/** A whole page with one heading. */
export const page = (title: string, body: Html): Html =>
  html`<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n<title>${title}</title>\n${pageIcon}\n</head>\n<body>\n${body}\n</body>\n</html>\n`;

/** What an unknown path answers. */
export const unknownPathPage = (path: string): Html =>
  page('Sorry, got error 404', html`<h1>Sorry, got error 404</h1>\n<p>There is nothing at ${path}.</p>`);

/** Paths that a servlet of its own answers at, with its name; the generated name of all others has a number that says nothing. */
const servlets: readonly (readonly [path: RegExp, name: string])[] = [
  [/^\/proxy(?:\/|$)/, 'proxy'],
  [/^\/logs\//, 'org.apache.hadoop.http.AdminAuthorizedServlet-0'],
];
/** Those that have one path each, which is named as they are. */
const ownPath = /^\/(isActive|jmx|conf|stacks|logLevel|prof)$/;
const servletOf = (path: string): string =>
  ownPath.exec(path)?.[1] ?? servlets.find(([paths]) => paths.test(path))?.[1] ?? 'org.apache.hadoop.http.WebServlet-0';

/** The servlet container's error page, as a browser or a script sees it. */
export const containerErrorPage = (status: number, message: string, path: string): Html =>
  html`<html>\n<head>\n<meta http-equiv="Content-Type" content="text/html;charset=ISO-8859-1"/>\n<title>Error ${status} ${message}</title>\n</head>\n<body><h2>HTTP ERROR ${status} ${message}</h2>\n<table>\n<tr><th>URI:</th><td>${path}</td></tr>\n<tr><th>STATUS:</th><td>${status}</td></tr>\n<tr><th>MESSAGE:</th><td>${message}</td></tr>\n<tr><th>SERVLET:</th><td>${servletOf(path)}</td></tr>\n</table>\n</body>\n</html>\n`;

/** A text in JSON as Jetty writes it: as it would stand in XML. */
const asText = (text: string): string => JSON.stringify(escapeXml(text).replaceAll('"', '&quot;').replaceAll("'", '&apos;'));

/** The same as JSON, one member a line. */
export const containerErrorJson = (status: number, message: string, path: string): string =>
  `{\n"servlet":"${servletOf(path)}",\n"message":${asText(message)},\n"url":${asText(path)},\n"status":"${status}"\n}`;

/** The same as text. */
export const containerErrorText = (status: number, message: string, path: string): string =>
  `HTTP ERROR ${status} ${message}\nURI: ${path}\nSTATUS: ${status}\nMESSAGE: ${message}\nSERVLET: ${servletOf(path)}\n`;

/** The page that goes with a redirect. */
export const movedPage = (url: string): Html =>
  html`<html>\n  <head>\n    <title>Moved</title>\n  </head>\n  <body>\n    <h1>Moved</h1>\n    <div>Content has moved <a href="${url}">here</a></div>\n  </body>\n</html>\n`;

/** Leads from a plain page to the web page about the same thing; `place`: its address below `/ui/`, `server`: the base URL of another server. */
export const webPageLink = (place = '', server = ''): Html => link(`${server}/ui/${place}`, 'Web page');

/** A link. */
export const link = (href: string, label: string): Html => html`<a href="${href}">${label}</a>`;

/** A table, its head and one row a line. */
export const table = (head: readonly string[], rows: readonly (readonly HtmlValue[])[]): Html =>
  html`<table>\n<thead><tr>${head.map((cell) => html`<th>${cell}</th>`)}</tr></thead>\n<tbody>\n${joined(
    rows.map((cells) => html`<tr>${cells.map((cell) => html`<td>${cell}</td>`)}</tr>`),
    '\n',
  )}\n</tbody>\n</table>`;

/** A plain page that leads to the web page about the same thing, at `place` below `/ui/`. */
export const linkedPage = (title: string, place: string, body: Html): Html => page(title, html`<p>${webPageLink(place)}</p>\n${body}`);

/** Counters of a job, a table a group. */
interface ShownCounters {
  readonly displayName: string;
  readonly counters: readonly { readonly displayName: string; readonly value: bigint | number }[];
}

/** What has counters by the names that programs know, and a page of its own. */
export interface Counted {
  readonly id: string;
  readonly href: string;
  readonly counters: {
    groups(): readonly {
      readonly name: string;
      readonly counters: readonly { readonly name: string; readonly value: bigint | number }[];
    }[];
  };
}

/** The values of one counter, of those that have it. */
export const singleCounterTable = (group: string, counter: string, counted: readonly Counted[]): Html =>
  html`<h1>${counter}</h1>\n<p>${group}</p>\n${table(
    ['Of', 'Value'],
    counted.flatMap(({ id, href, counters }) => {
      const found = counters
        .groups()
        .find(({ name }) => name === group)
        ?.counters.find(({ name }) => name === counter);
      return found ? [[link(href, id), String(found.value)]] : [];
    }),
  )}`;

/** A heading and a table for each group of counters. */
export const counterTables = (groups: readonly ShownCounters[]): Html =>
  joined(
    groups.map(
      ({ displayName, counters }) =>
        html`<h2>${displayName}</h2>\n${table(
          ['Name', 'Total'],
          counters.map((counter) => [counter.displayName, String(counter.value)]),
        )}`,
    ),
    '\n',
  );
