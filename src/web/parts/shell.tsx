// A shell in a running container, in a terminal. It ends with the page.
import { useCallback, useEffect, useRef, useState } from 'react';
import { type OpenShell, openShell } from '../api/shell.ts';
import { Panel } from './basics.tsx';
import { openTerminal, type PageTerminal } from './terminal.ts';
import './shell.css';

interface State {
  readonly is: 'closed' | 'opening' | 'open' | 'over';
  /** How it ended. */
  readonly end?: string;
}

/** Keys that not every keyboard has, phones' least of all. */
const keys = [
  { label: 'Esc', text: '\u001b', title: 'Leaves a mode of a program' },
  { label: 'Tab', text: '\t', title: 'Completes a word' },
  { label: 'Ctrl C', text: '\u0003', title: 'Interrupts what runs' },
  { label: 'Ctrl D', text: '\u0004', title: 'Ends the input, and with it a shell' },
];

/** Why a node lets nobody in, in words for people. */
function endInWords({ exitCode, reason }: { readonly exitCode: number | undefined; readonly reason: string }): string {
  if (exitCode !== undefined) return `The command ended with exit code ${exitCode}.`;
  if (reason === 'Forbidden')
    return 'You may not open one: shells are for the owner of the application, and where access lists are on for administrators, too.';
  if (reason === '') return 'The node did not let you in, or the connection to it broke off. Sign in as the owner of the application.';
  return `It is over: ${reason}.`;
}

/** Asks before the page is left, as some browsers leave by keys that programs have a meaning for. */
const askFirst = (event: BeforeUnloadEvent) => event.preventDefault();

/** One shell after the other, each in a terminal of its own; what it wrote stays when it ended. `turn`: which one, 0 none. */
function useShell(containerId: string, turn: number) {
  const [state, setState] = useState<State>({ is: 'closed' });
  const place = useRef<HTMLDivElement>(null);
  const open = useRef<{ readonly shell: OpenShell; readonly terminal: PageTerminal }>(undefined);
  useEffect(() => {
    if (turn === 0 || !place.current) return;
    const terminal = openTerminal(place.current, { typed: (input) => shell.send(input), resized: (size) => shell.resize(size) });
    setState({ is: 'opening' });
    const shell = openShell(containerId, [], terminal.size, {
      started() {
        setState({ is: 'open' });
        shell.resize(terminal.size);
        place.current?.scrollIntoView({ block: 'nearest' });
        terminal.focus();
        addEventListener('beforeunload', askFirst);
      },
      wrote: (bytes, taken) => terminal.write(bytes, taken),
      ended(end) {
        removeEventListener('beforeunload', askFirst);
        terminal.stop();
        setState({ is: 'over', end: endInWords(end) });
      },
    });
    open.current = { shell, terminal };
    return () => {
      open.current = undefined;
      removeEventListener('beforeunload', askFirst);
      shell.close();
      terminal.dispose();
    };
  }, [containerId, turn]);
  return { state, place, open };
}

export default function Shell({ containerId }: { readonly containerId: string }) {
  const [turn, setTurn] = useState(0);
  const { state, place, open } = useShell(containerId, turn);
  const [isToReaders, setToReaders] = useState(false);
  const after = useRef<HTMLParagraphElement>(null);
  useEffect(() => open.current?.terminal.tellReaders(isToReaders), [isToReaders, open, turn]);
  const press = useCallback(
    (text: string) => {
      open.current?.shell.send(text);
      open.current?.terminal.focus();
    },
    [open],
  );
  const isOpen = state.is === 'open';
  return (
    <Panel
      title="Shell"
      aside={
        <span className="inline">
          {isOpen &&
            keys.map(({ label, text, title }) => (
              <button key={label} type="button" className="small" onClick={() => press(text)} title={title}>
                {label}
              </button>
            ))}
          {turn > 0 && (
            <button
              type="button"
              className="small"
              aria-pressed={isToReaders}
              onClick={() => setToReaders(!isToReaders)}
              title="Tells screen readers what is written"
            >
              Screen reader
            </button>
          )}
          {isOpen ? (
            <>
              <button type="button" className="small" onClick={() => open.current?.shell.close()}>
                Close
              </button>
              <button
                type="button"
                className="small"
                onClick={() => after.current?.focus()}
                title="Goes on behind the terminal, which keeps Tab"
              >
                Skip past
              </button>
            </>
          ) : (
            <button type="button" className="small" disabled={state.is === 'opening'} onClick={() => setTurn(turn + 1)}>
              {state.is === 'over' ? 'Open another' : 'Open a shell'}
            </button>
          )}
        </span>
      }
    >
      {turn === 0 ? (
        <p className="quiet">A terminal in the container, as its user. Programs that draw the whole screen work, too.</p>
      ) : (
        <div className="shell-room">
          <div className="shell-place" ref={place} />
        </div>
      )}
      <p className="quiet" role="status" ref={after} tabIndex={-1}>
        {state.is === 'opening'
          ? 'Opening …'
          : (state.end ?? (isOpen ? 'Shift and Tab leave the terminal, “Skip past” goes on behind it. It ends when this page goes.' : ''))}
      </p>
    </Panel>
  );
}
