// A window that leads anywhere: Ctrl and K, then a part of a name or a whole id.
import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { type KeyboardEvent, useEffect, useId, useState } from 'react';
import { fewApplicationsQuery } from '../api/cluster.ts';
import type { Role } from '../api/frame.ts';
import { nodesQuery } from '../api/nodes.ts';
import { queuesQuery } from '../api/queues.ts';
import { type Place, placeOfId, placesFor } from '../format/go-to.ts';
import { queuesOf } from '../format/queue-tree.ts';
import { Dialog } from '../parts/dialog.tsx';
import type { PageEntry } from './pages.ts';
import './go-to.css';

/** How long after the last key the server is asked, ms. */
const pauseMs = 200;
const mostApplications = 6;

/** What was typed, once nothing follows it. */
function useSettled(text: string): string {
  const [settled, setSettled] = useState(text);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(text), pauseMs);
    return () => clearTimeout(timer);
  }, [text]);
  return settled;
}

export function GoTo({
  role,
  pages,
  onClose,
}: {
  readonly role: Role;
  readonly pages: readonly PageEntry[];
  readonly onClose: () => void;
}) {
  const [typed, setTyped] = useState('');
  const [marked, setMarked] = useState(0);
  const navigate = useNavigate();
  const id = useId();
  const isManager = role === 'resource-manager';
  const name = useSettled(typed.trim());
  const { data: tree } = useQuery({ ...queuesQuery, enabled: isManager });
  const { data: nodes } = useQuery({ ...nodesQuery, enabled: isManager });
  const asks = isManager && name !== '' && placeOfId(name, role) === undefined;
  const found = useQuery({ ...fewApplicationsQuery({ find: name, sort: '-startedTime' }, mostApplications), enabled: asks });
  const places = placesFor(typed, {
    role,
    pages,
    queues: tree ? queuesOf(tree.root).map(({ path }) => path) : [],
    nodes: (nodes ?? []).map((node) => node.id),
    applications: asks ? (found.data?.applications ?? []) : [],
  });
  const at = Math.min(marked, places.length - 1);
  const go = ({ to }: Place) => {
    onClose();
    void navigate({ to });
  };
  const press = (event: KeyboardEvent) => {
    const step = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0;
    const place = places[at];
    if (step !== 0 && places.length > 0) setMarked((at + step + places.length) % places.length);
    else if (event.key === 'Enter' && place) go(place);
    else return;
    event.preventDefault();
  };
  return (
    <Dialog title="Go to" onClose={onClose}>
      <input
        type="text"
        role="combobox"
        aria-label={isManager ? 'Page, application, queue, node or id' : 'Page or id'}
        placeholder={isManager ? 'Page, application, queue, node or id' : 'Page or id'}
        aria-expanded="true"
        aria-controls={`${id}-places`}
        aria-activedescendant={places.length > 0 ? `${id}-${at}` : undefined}
        aria-autocomplete="list"
        autoComplete="off"
        spellCheck={false}
        maxLength={200}
        value={typed}
        onChange={({ target }) => {
          setTyped(target.value);
          setMarked(0);
        }}
        onKeyDown={press}
      />
      <div id={`${id}-places`} role="listbox" aria-label="Places" className="places">
        {places.map((place, index) => (
          // biome-ignore lint/a11y/useFocusableInteractive: the field keeps the focus and says which place is marked
          // biome-ignore lint/a11y/useKeyWithClickEvents: the keys are the field's
          <div
            key={`${place.what} ${place.to}`}
            id={`${id}-${index}`}
            role="option"
            aria-selected={index === at}
            ref={index === at ? (element) => element?.scrollIntoView({ block: 'nearest' }) : undefined}
            onMouseMove={() => setMarked(index)}
            onClick={() => go(place)}
          >
            <span>{place.text}</span> <span className="quiet">{place.what}</span>
          </div>
        ))}
      </div>
      {places.length === 0 && <p className="quiet">Nothing here is called so.</p>}
    </Dialog>
  );
}
