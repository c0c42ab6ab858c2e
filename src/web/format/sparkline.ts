// The shape of a small chart in a row of a table. Pure.

/** Height and width of the drawing. */
export const sparkWidth = 60;
export const sparkHeight = 16;

/** The line through values and the area below it, as paths: the top is what was given, or what was more than that. None without two values. */
export function sparkOf(values: readonly number[], given: number): { readonly line: string; readonly area: string } | undefined {
  if (values.length < 2) return undefined;
  const top = Math.max(given, ...values) || 1;
  const points = values.map((value, i) => {
    const x = (i / (values.length - 1)) * sparkWidth;
    // Half the line's width stays within the drawing.
    const y = sparkHeight - 0.75 - (value / top) * (sparkHeight - 1.5);
    return `${Math.round(x * 10) / 10} ${Math.round(y * 100) / 100}`;
  });
  const line = `M${points.join('L')}`;
  return { line, area: `${line}L${sparkWidth} ${sparkHeight}L0 ${sparkHeight}Z` };
}
