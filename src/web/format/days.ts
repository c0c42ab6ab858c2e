// Days between which something happened, as the timeline's reader is asked for them: `20261101-20261130`, with either end open, or one day alone.

/** The first and the last day, `2026-11-01`; what is no range of days has none. */
export function daysOf(range = ''): Readonly<Record<string, string>> {
  const found = /^(\d{8})?(-)?(\d{8})?$/.exec(range);
  if (!found) return {};
  const [, from, dash, to = dash === undefined ? from : undefined] = found;
  return { ...(from !== undefined && { from: withDashes(from) }), ...(to !== undefined && { to: withDashes(to) }) };
}

/** The range between two days; undefined for neither. */
export function rangeOf({ from, to }: Readonly<Record<string, string | undefined>>): string | undefined {
  const plain = (day: string | undefined) => (day ?? '').replaceAll('-', '');
  return plain(from) === '' && plain(to) === '' ? undefined : `${plain(from)}-${plain(to)}`;
}

const withDashes = (day: string): string => `${day.slice(0, 4)}-${day.slice(4, 6)}-${day.slice(6)}`;
