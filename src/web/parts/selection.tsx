// Several applications at once: which are chosen, and what is done with them after one question.
import { useQueryClient } from '@tanstack/react-query';
import { type MouseEvent, useMemo, useRef, useState } from 'react';
import type { PlainApplication } from '../../wire/cluster/own-answers.ts';
import { between } from '../api/several.ts';
import { count, counted } from '../format/amounts.ts';
import { named } from '../format/names.ts';
import { hasEnded } from '../format/states.ts';
import { note } from './dialog.tsx';
import { type Chosen, type SeveralAction, SeveralQuestion } from './several-question.tsx';
import type { Column } from './table.tsx';
import './selection.css';

/** Applications that are chosen, by id. */
export type Selection = ReadonlyMap<string, Chosen>;

/** More are not chosen at once. */
export const mostChosen = 1000;

/** The chosen ones, but for those of which the rows say that they have ended; another list (`of`) begins without. */
export function useSelection(of: string, rows: readonly PlainApplication[]) {
  const [{ list, chosen }, setState] = useState<{ readonly list: string; readonly chosen: Selection }>({ list: of, chosen: new Map() });
  const living = useMemo(() => {
    if (list !== of || chosen.size === 0) return new Map<string, Chosen>();
    const ended = new Set(rows.filter(({ state }) => hasEnded(state)).map(({ id }) => id));
    return new Map([...chosen].filter(([id]) => !ended.has(id)));
  }, [list, of, chosen, rows]);
  return [living, (next: Selection) => setState({ list: of, chosen: next })] as const;
}

/** A column of boxes, one a row; the head's is for all rows that are shown. With Shift a click chooses all from the box that was clicked before. */
export function useSelectionColumn(
  rows: readonly PlainApplication[],
  chosen: Selection,
  onChange: (next: Selection) => void,
): Column<PlainApplication> {
  const last = useRef<string>(undefined);
  const live = rows.filter(({ state }) => !hasEnded(state));
  const shown = live.filter(({ id }) => chosen.has(id)).length;
  const set = (some: readonly PlainApplication[], isChosen: boolean) => {
    const next = new Map(chosen);
    for (const one of some) {
      if (!isChosen) next.delete(one.id);
      else if (next.size < mostChosen) next.set(one.id, one);
    }
    onChange(next);
  };
  const click = (row: PlainApplication, { shiftKey, currentTarget: { checked } }: MouseEvent<HTMLInputElement>) => {
    const [from, to] = [last.current, row.id].map((id) => live.findIndex((each) => each.id === id)) as [number, number];
    set(shiftKey && from >= 0 ? between(live, from, to) : [row], checked);
    last.current = row.id;
  };
  const all = live.length > 0 && shown === live.length;
  return {
    id: 'chosen',
    title: 'Chosen',
    head: (
      <input
        type="checkbox"
        aria-label="Choose all that are shown"
        checked={all}
        disabled={live.length === 0}
        ref={(box) => {
          if (box) box.indeterminate = shown > 0 && !all;
        }}
        onChange={() => set(live, !all)}
      />
    ),
    cell: (row) => (
      <input
        type="checkbox"
        aria-label={`Choose ${named(row.name, row.id)}`}
        title={hasEnded(row.state) ? 'It has ended.' : undefined}
        checked={chosen.has(row.id)}
        disabled={hasEnded(row.state)}
        onChange={() => undefined}
        onClick={(event) => click(row, event)}
      />
    ),
  };
}

/** What can be done with the chosen ones. `findAll`: all that pass the filter and have not ended, up to `mostChosen`, and whether there are more. */
export function SelectionBar({
  chosen,
  onChange,
  findAll,
}: {
  readonly chosen: Selection;
  readonly onChange: (next: Selection) => void;
  readonly findAll: () => Promise<{ readonly found: readonly Chosen[]; readonly more: boolean }>;
}) {
  const client = useQueryClient();
  const [action, setAction] = useState<SeveralAction>();
  const [isFinding, setFinding] = useState(false);
  if (chosen.size === 0) return null;
  const chooseAll = async () => {
    setFinding(true);
    try {
      const { found, more } = await findAll();
      onChange(new Map(found.map((one) => [one.id, one])));
      if (more) note(`There are more than ${count(mostChosen)}: the first ${count(mostChosen)} are chosen.`);
    } catch (problem) {
      note(`They were not found: ${(problem as Error).message}`);
    }
    setFinding(false);
  };
  return (
    <section className="selection" aria-label="Chosen applications">
      <strong role="status">{counted(chosen.size, 'application')} chosen</strong>
      <button type="button" className="danger" onClick={() => setAction('kill')}>
        Kill …
      </button>
      <button type="button" onClick={() => setAction('move')}>
        Move …
      </button>
      <button
        type="button"
        onClick={() => void chooseAll()}
        disabled={isFinding}
        title={`At most ${count(mostChosen)}, in the order of the list`}
      >
        {isFinding ? 'Looking …' : 'All that pass the filter'}
      </button>
      <button type="button" className="ghost" onClick={() => onChange(new Map())}>
        Choose none
      </button>
      {action && (
        <SeveralQuestion
          action={action}
          chosen={[...chosen.values()]}
          onClose={(done) => {
            setAction(undefined);
            if (done.length === 0) return;
            onChange(new Map([...chosen].filter(([id]) => !done.includes(id))));
            void client.invalidateQueries({ queryKey: ['applications'] });
          }}
        />
      )}
    </section>
  );
}
