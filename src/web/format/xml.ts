// XML as people read it.

/** XML of a server, which has no blanks between its elements, with each element that has others in it on lines of its own. */
export function indentedXml(text: string): string {
  let depth = 0;
  return text
    .replace(/></g, '>\n<')
    .split('\n')
    .map((line) => {
      const isEnd = line.startsWith('</');
      if (isEnd) depth--;
      const shown = '  '.repeat(Math.max(depth, 0)) + line;
      if (!isEnd && !/^<\?|\/>$|<\//.test(line)) depth++;
      return shown;
    })
    .join('\n');
}
