// Small pieces of Markdown.

/** First lines of every page. */
export function pageHead(title: string, about: string): string {
  return `# ${title}\n\n<!-- Written by "npm run docs"; do not edit. -->\n\n${about}\n`;
}

/** A text inside a table cell. */
export function cell(text: string | number | undefined): string {
  return String(text ?? '')
    .replaceAll('\\', '\\\\')
    .replaceAll('|', '\\|')
    .replaceAll('<', '&lt;')
    .replace(/\s*\n\s*/g, ' ');
}

/** A text in code font inside a table cell. */
export function code(text: string | undefined): string {
  return text === undefined || text === '' ? '' : `\`${text.replaceAll('|', '\\|').replaceAll('`', "'")}\``;
}

/** A table. */
export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  return [`| ${head.join(' | ')} |`, `| ${head.map(() => '---').join(' | ')} |`, ...rows.map((row) => `| ${row.join(' | ')} |`), ''].join(
    '\n',
  );
}
