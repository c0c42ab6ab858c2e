// One table for every list: sorting by heads, rows made only where they are looked at, columns that give way on narrow screens.
import { useVirtualizer } from '@tanstack/react-virtual';
import { type MouseEvent, memo, type ReactNode, useEffect, useMemo, useRef, useState } from 'react';

/** A column. `sort`: the name in the server's order, or how two rows compare here. */
export interface Column<Row> {
  readonly id: string;
  readonly title: string;
  readonly cell: (row: Row) => ReactNode;
  readonly sort?: string | ((a: Row, b: Row) => number);
  /** Numbers stand at the right. */
  readonly isNumber?: boolean;
  /** Stands in the head in place of the title. */
  readonly head?: ReactNode;
  /** Its cells say what it is to who sees them: the title takes no room. */
  readonly hidesTitle?: boolean;
  /** Where the table has less room than this the column gives way: 1,300, 1,150, 900 or 580 px. */
  readonly gives?: 'room' | 'late' | 'soon' | 'first';
  /** Takes what room there is, and is cut where it is longer: names that people give. The cell has an element of the class `name`. */
  readonly shortens?: true;
  /** The whole text of a name that has no end where others have: the cell is cut, and shows it when pointed at. */
  readonly brief?: (row: Row) => string;
}

/** What a table is given. Without `onSort` it sorts its rows itself. */
export interface TableProps<Row> {
  readonly label: string;
  readonly columns: readonly Column<Row>[];
  readonly rows: readonly Row[];
  readonly rowKey: (row: Row) => string;
  readonly empty: ReactNode;
  /** `-startedTime`: descending. */
  readonly sort?: string;
  readonly onSort?: (sort: string) => void;
  /** Called when the last rows come into sight. */
  readonly onEnd?: () => void;
  /** How many rows there are in all, where that is known. */
  readonly total?: number;
  /** A click anywhere into a row goes where the row's first link does. */
  readonly leads?: boolean;
}

/** More rows than this are only made where they are looked at. */
const mostPlainRows = 120;
const rowHeight = 33;

export function Table<Row>({ label, columns, rows, rowKey, empty, sort: givenSort, onSort, onEnd, total, leads = false }: TableProps<Row>) {
  const [ownSort, setOwnSort] = useState(givenSort ?? '');
  const sort = onSort ? (givenSort ?? '') : ownSort;
  const [name, isDescending] = sort.startsWith('-') ? [sort.slice(1), true] : [sort, false];
  const sorted = useMemo(() => {
    const by = columns.find((column) => keyOf(column) === name)?.sort;
    return typeof by === 'function' ? rows.toSorted((a, b) => (isDescending ? by(b, a) : by(a, b))) : rows;
  }, [rows, columns, name, isDescending]);
  const choose = (column: Column<Row>) => {
    const key = keyOf(column);
    // Numbers and times are first wanted from the top.
    const next = name === key ? (isDescending ? key : `-${key}`) : column.isNumber || key.endsWith('Time') ? `-${key}` : key;
    if (onSort) onSort(next);
    else setOwnSort(next);
  };
  const head = (
    <thead>
      <tr>
        {columns.map((column) => (
          <th
            key={column.id}
            scope="col"
            className={classOf(column)}
            aria-sort={column.sort && keyOf(column) === name ? (isDescending ? 'descending' : 'ascending') : undefined}
          >
            {column.head !== undefined ? (
              column.head
            ) : canSort(column, onSort !== undefined) ? (
              <button type="button" onClick={() => choose(column)}>
                {column.title}
                <span aria-hidden="true">{keyOf(column) === name ? (isDescending ? ' ↓' : ' ↑') : ''}</span>
              </button>
            ) : column.hidesTitle ? (
              <span className="unseen">{column.title}</span>
            ) : (
              column.title
            )}
          </th>
        ))}
      </tr>
    </thead>
  );
  if (rows.length === 0)
    return (
      <div className="table-frame">
        <div className="empty">{empty}</div>
      </div>
    );
  const shared = { label, head, columns, rows: sorted, rowKey, onEnd, total, leads };
  return sorted.length > mostPlainRows ? <LongTable {...shared} /> : <ShortTable {...shared} />;
}

const keyOf = <Row,>(column: Column<Row>): string => (typeof column.sort === 'string' ? column.sort : column.id);
/** Whether the head of a column is a button: by a name of the server's order only where the server is asked. */
const canSort = <Row,>({ sort }: Column<Row>, isAsked: boolean): boolean => typeof sort === 'function' || (isAsked && sort !== undefined);
const classOf = <Row,>({ isNumber, gives, shortens, brief }: Column<Row>): string =>
  `${isNumber ? 'number ' : ''}${shortens ? 'shortens ' : ''}${brief ? 'brief ' : ''}${gives ? `gives-${gives}` : ''}`;

interface BodyProps<Row> {
  readonly label: string;
  readonly head: ReactNode;
  readonly columns: readonly Column<Row>[];
  readonly rows: readonly Row[];
  readonly rowKey: (row: Row) => string;
  readonly onEnd: (() => void) | undefined;
  readonly total: number | undefined;
  readonly leads: boolean;
}

/** Follows the first link of the row that was clicked, unless something in it was, or text was marked. */
function followRow({ target, button, ctrlKey, metaKey, shiftKey, altKey }: MouseEvent<HTMLElement>): void {
  const place = target as HTMLElement;
  if (button !== 0 || place.closest('a, button, input, label, select') || getSelection()?.toString()) return;
  // The link hears of the keys that were held: a new tab stays one.
  place
    .closest('tr')
    ?.querySelector('a')
    ?.dispatchEvent(new globalThis.MouseEvent('click', { bubbles: true, cancelable: true, ctrlKey, metaKey, shiftKey, altKey }));
}

/** The rows of a table. */
function Body({ leads, children }: { readonly leads: boolean; readonly children: ReactNode }) {
  if (!leads) return <tbody>{children}</tbody>;
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: the row's link is reached by keyboard
    <tbody className="leads" onClick={followRow}>
      {children}
    </tbody>
  );
}

function Cells<Row>({ columns, row }: { readonly columns: readonly Column<Row>[]; readonly row: Row }) {
  return columns.map((column) => (
    <td key={column.id} className={classOf(column)} title={column.brief?.(row)}>
      {column.cell(row)}
    </td>
  ));
}

interface RowProps<Row> {
  readonly columns: readonly Column<Row>[];
  readonly row: Row;
  readonly index: number;
}

/** A row of a long table: what stays in sight is not made anew while others come. */
const LongRow = memo(function LongRow({ columns, row, index }: RowProps<unknown>) {
  return (
    <tr aria-rowindex={index + 2} style={{ height: rowHeight }}>
      <Cells columns={columns} row={row} />
    </tr>
  );
}) as <Row>(props: RowProps<Row>) => ReactNode;

function ShortTable<Row>({ label, head, columns, rows, rowKey, onEnd, leads }: BodyProps<Row>) {
  useEffect(() => onEnd?.(), [onEnd]);
  return (
    <div className="table-frame">
      <table aria-label={label}>
        {head}
        <Body leads={leads}>
          {rows.map((row) => (
            <tr key={rowKey(row)}>
              <Cells columns={columns} row={row} />
            </tr>
          ))}
        </Body>
      </table>
    </div>
  );
}

function LongTable<Row>({ label, head, columns, rows, rowKey, onEnd, total, leads }: BodyProps<Row>) {
  const frame = useRef<HTMLElement>(null);
  const virtual = useVirtualizer({
    count: rows.length,
    getScrollElement: () => frame.current,
    estimateSize: () => rowHeight,
    overscan: 10,
  });
  const items = virtual.getVirtualItems();
  const [first, last] = [items[0], items.at(-1)];
  const isAtEnd = (last?.index ?? 0) > rows.length - 60;
  useEffect(() => {
    if (isAtEnd) onEnd?.();
  }, [isAtEnd, onEnd]);
  const below = virtual.getTotalSize() - (last?.end ?? 0);
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls is reached by keyboard
    <section className="table-frame scrolls" ref={frame} tabIndex={0} aria-label={`${label}, scrolls`}>
      <table aria-label={label} aria-rowcount={total ?? rows.length}>
        {head}
        <Body leads={leads}>
          {first && first.start > 0 && <tr style={{ height: first.start }} />}
          {items.map(({ index }) => {
            const row = rows[index]!;
            return <LongRow key={rowKey(row)} columns={columns} row={row} index={index} />;
          })}
          {below > 0 && <tr style={{ height: below }} />}
        </Body>
      </table>
    </section>
  );
}
