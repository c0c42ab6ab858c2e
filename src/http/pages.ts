// The few pages every server has: not found, moved, container errors. Texts as Hadoop's, markup our own.

/** Text made safe inside HTML. */
export const escapeHtml = (text: string): string =>
  text.replace(/[&<>"']/g, (character) => ({ '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' })[character]!);

/** A whole page with one heading. */
export const page = (title: string, body: string): string =>
  `<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n<title>${escapeHtml(title)}</title>\n</head>\n<body>\n${body}\n</body>\n</html>\n`;

/** What an unknown path answers. */
export const unknownPathPage = (path: string): string =>
  page('Sorry, got error 404', `<h1>Sorry, got error 404</h1>\n<p>There is nothing at ${escapeHtml(path)}.</p>`);

/** The servlet container's error page, as a browser or a script sees it. */
export const containerErrorPage = (status: number, message: string, path: string): string =>
  `<html>\n<head>\n<meta http-equiv="Content-Type" content="text/html;charset=ISO-8859-1"/>\n<title>Error ${status} ${escapeHtml(message)}</title>\n</head>\n<body><h2>HTTP ERROR ${status} ${escapeHtml(message)}</h2>\n<table>\n<tr><th>URI:</th><td>${escapeHtml(path)}</td></tr>\n<tr><th>STATUS:</th><td>${status}</td></tr>\n<tr><th>MESSAGE:</th><td>${escapeHtml(message)}</td></tr>\n</table>\n</body>\n</html>\n`;

/** The same as JSON, one member a line. */
export const containerErrorJson = (status: number, message: string, path: string): string =>
  `{\n"servlet":"heddle",\n"message":${JSON.stringify(message)},\n"url":${JSON.stringify(path)},\n"status":"${status}"\n}`;

/** The page that goes with a redirect. */
export const movedPage = (url: string): string =>
  `<html>\n  <head>\n    <title>Moved</title>\n  </head>\n  <body>\n    <h1>Moved</h1>\n    <div>Content has moved <a href="${escapeHtml(url)}">here</a></div>\n  </body>\n</html>\n`;
