// What the pages of the resource manager are made of. Every text is escaped here.
import type { RouteAccess } from '../../auth/route-access.ts';
import { type Answer, htmlAnswer } from '../../http/answers.ts';
import { type Html, type HtmlValue, html, joined } from '../../http/html.ts';
import { pageIcon, webPageLink } from '../../http/pages.ts';
import type { Call, Route } from '../../http/service.ts';
import { isoTime } from '../../lib/iso-time.ts';

/** Makes the route of a page. */
export type AddPage = (path: string, about: string, access: RouteAccess, handle: (call: Call) => Answer) => Route<never>;

const style = html`body{font:15px/1.45 system-ui,sans-serif;margin:0;color:#1c2733;background:#f7f8fa}
header{background:#1f3a5f;color:#fff;padding:.7rem 1.5rem}header a{color:#cfe0f5;margin-right:1.2rem;text-decoration:none}header strong{margin-right:2rem}
main{padding:1rem 1.5rem;max-width:90rem}table{border-collapse:collapse;background:#fff;width:100%}th,td{text-align:left;padding:.35rem .6rem;border-bottom:1px solid #e3e7ec;vertical-align:top}
th{background:#eef2f6;font-weight:600}td.n{text-align:right;font-variant-numeric:tabular-nums}pre{white-space:pre-wrap;background:#fff;padding:.8rem;border:1px solid #e3e7ec}
dl{display:grid;grid-template-columns:14rem 1fr;gap:.25rem 1rem;background:#fff;padding:1rem;border:1px solid #e3e7ec}dt{color:#5b6b7c}dd{margin:0}.bar{background:#e3e7ec;height:.55rem;width:12rem;display:inline-block}.bar i{background:#3b7dd8;height:100%;display:block}
@media(prefers-color-scheme:dark){body{background:#15191f;color:#dde4ec}table,pre,dl{background:#1d232b}th{background:#262e38}th,td,pre,dl{border-color:#303a46}a{color:#8ab8f5}dt{color:#93a3b5}}`;

/** A page with the links that all have; `webPage`: where `/ui/` shows the same. */
export function shell(
  title: string,
  body: Html,
  { webPage, status = 200 }: { readonly webPage?: string; readonly status?: number } = {},
): Answer {
  return htmlAnswer(
    status,
    html`<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n<meta name="viewport" content="width=device-width">\n<title>${title}</title>\n${pageIcon}\n<style>${style}</style>\n</head>\n<body>\n<header><strong>Heddle</strong><nav style="display:inline"><a href="/cluster/apps">Applications</a><a href="/cluster/nodes">Nodes</a><a href="/cluster/scheduler">Queues</a><a href="/cluster/nodelabels">Labels</a><a href="/cluster/cluster">About</a><a href="/openapi.json">Interface</a>${webPageLink(webPage)}</nav></header>\n<main>\n<h1>${title}</h1>\n${body}\n</main>\n</body>\n</html>\n`,
  );
}

/** A cell of a table; `n`: a number. */
export const cell = (value: HtmlValue, kind?: 'n'): Html => (kind ? html`<td class="${kind}">${value}</td>` : html`<td>${value}</td>`);
/** A time for people, empty for none. */
export const time = (ms: number): string => (ms <= 0 ? '' : isoTime(ms).replace('T', ' ').slice(0, 19));
/** A table of rows that are rendered already. */
export const table = (heads: readonly string[], rows: readonly Html[]): Html =>
  html`<table>\n<thead><tr>${heads.map((head) => html`<th>${head}</th>`)}</tr></thead>\n<tbody>\n${joined(rows, '\n')}\n</tbody>\n</table>`;

/** Names with their values. */
export const facts = (rows: readonly (readonly [name: string, value: HtmlValue])[]): Html =>
  html`<dl>${joined(
    rows.map(([name, value]) => html`<dt>${name}</dt><dd>${value}</dd>`),
    '\n',
  )}</dl>`;
