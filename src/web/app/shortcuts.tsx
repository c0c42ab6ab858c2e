// Keys: Ctrl and K go anywhere, `/` searches, `?` tells them all, `g` and a letter goes to a page.
import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useEffect, useRef, useState } from 'react';
import { frameQuery } from '../api/frame.ts';
import { Dialog } from '../parts/dialog.tsx';
import { GoTo } from './go-to.tsx';
import { inNavigation, pages } from './pages.ts';

/** How long a second key may follow `g`, ms. */
const followMs = 1500;
const isTyping = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement && (target.isContentEditable || /^(?:INPUT|TEXTAREA|SELECT)$/.test(target.tagName));

/** `isGoing`: the window that leads anywhere is open; `go` opens and closes it. */
export function Shortcuts({ isGoing, go }: { readonly isGoing: boolean; readonly go: (isOpen: boolean) => void }) {
  const [isShown, setShown] = useState(false);
  const navigate = useNavigate();
  const begunMs = useRef(0);
  const { data: frame } = useQuery(frameQuery);
  const reached = pages.filter(({ place, roles }) => place?.key !== undefined && frame !== undefined && roles.includes(frame.role));
  useEffect(() => {
    const press = (event: KeyboardEvent) => {
      if ((event.ctrlKey || event.metaKey) && !event.altKey && !event.shiftKey && event.key === 'k') {
        // Not above another window: a question stays one.
        if (document.querySelector('dialog[open]')) return;
        event.preventDefault();
        go(true);
        return;
      }
      if (event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target) || document.querySelector('dialog[open]')) return;
      const entry = event.timeStamp - begunMs.current < followMs ? reached.find(({ place }) => place?.key === event.key) : undefined;
      begunMs.current = 0;
      if (entry) void navigate({ to: entry.path });
      else if (event.key === 'g') begunMs.current = event.timeStamp;
      else if (event.key === '?') setShown(true);
      else if (event.key === '/') {
        const search = document.querySelector<HTMLInputElement>('input[type=search]');
        if (!search) return;
        event.preventDefault();
        search.focus();
        search.select();
      }
    };
    addEventListener('keydown', press);
    return () => removeEventListener('keydown', press);
  }, [navigate, reached, go]);
  if (isGoing && frame) return <GoTo role={frame.role} pages={inNavigation(frame.role)} onClose={() => go(false)} />;
  if (!isShown) return null;
  return (
    <Dialog title="Keys" onClose={() => setShown(false)}>
      <dl className="keys">
        <dt>
          <kbd>Ctrl</kbd> <kbd>K</kbd>
        </dt>
        <dd>anywhere: a page, an application, a queue, a node, an id</dd>
        <dt>
          <kbd>/</kbd>
        </dt>
        <dd>to the search of the page</dd>
        <dt>
          <kbd>?</kbd>
        </dt>
        <dd>this list</dd>
        <dt>
          <kbd>Esc</kbd>
        </dt>
        <dd>closes a window</dd>
        {reached.map(({ path, title, place }) => (
          <div key={path}>
            <dt>
              <kbd>g</kbd> <kbd>{place?.key}</kbd>
            </dt>
            <dd>{title}</dd>
          </div>
        ))}
      </dl>
      <form method="dialog" className="actions">
        <button type="submit">Close</button>
      </form>
    </Dialog>
  );
}
