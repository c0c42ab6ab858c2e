// Values that a program published: short ones as they are, times in words, structures to be opened.
import type { Published } from '../api/timeline.ts';
import { counted } from '../format/amounts.ts';
import { absolute, isoTime } from '../format/times.ts';

/** A number that is a time in ms, by the name it has: from 2001 on, until 2100. */
const isTime = (name: string, value: Published): value is number =>
  /time|timestamp/i.test(name) && typeof value === 'number' && value > 1e12 && value < 4.1e12;

export function Value({ name, value }: { readonly name: string; readonly value: Published }) {
  if (value === null) return <span className="quiet">nothing</span>;
  if (value === '') return <span className="quiet">empty</span>;
  if (isTime(name, value)) return <time dateTime={isoTime(value)}>{absolute(value)}</time>;
  if (typeof value !== 'object') return <span className="published">{String(value)}</span>;
  const text = JSON.stringify(value, undefined, 2);
  if (text.length < 80) return <code>{JSON.stringify(value)}</code>;
  return (
    <details>
      <summary>{Array.isArray(value) ? counted(value.length, 'value') : counted(Object.keys(value).length, 'member')}</summary>
      <pre className="log">{text}</pre>
    </details>
  );
}

/** Named values in a table of two columns. */
export function Values({ label, values }: { readonly label: string; readonly values: Readonly<Record<string, Published>> }) {
  const names = Object.keys(values).toSorted();
  return (
    <table aria-label={label} className="values">
      <tbody>
        {names.map((name) => (
          <tr key={name}>
            <th scope="row">{name}</th>
            <td>
              <Value name={name} value={values[name] ?? null} />
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
