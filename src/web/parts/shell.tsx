// A shell in a running container: its lines, a cursor, and what is typed sent key by key. It ends with the page.
import { type ClipboardEvent, type KeyboardEvent, useCallback, useEffect, useRef, useState } from 'react';
import { type OpenShell, openShell, type ShellSize } from '../api/shell.ts';
import { keySequence, TerminalText } from '../format/terminal-text.ts';
import { Panel } from './basics.tsx';
import './shell.css';

/** Lines that are kept. */
const mostLines = 2000;
const usual: ShellSize = { rows: 24, columns: 80 };

interface State {
  readonly is: 'closed' | 'opening' | 'open' | 'over';
  /** How it ended. */
  readonly end?: string;
}

/** Why a node lets nobody in, in words for people. */
function endInWords({ exitCode, reason }: { readonly exitCode: number | undefined; readonly reason: string }): string {
  if (exitCode !== undefined) return `The command ended with exit code ${exitCode}.`;
  if (reason === 'Forbidden')
    return 'You may not open one: shells are for the owner of the application, and where access lists are on for administrators, too.';
  if (reason === '') return 'The node did not let you in, or the connection to it broke off. Sign in as the owner of the application.';
  return `It is over: ${reason}.`;
}

/** One shell after the other; what it wrote stays when it ended. */
function useShell(containerId: string) {
  const [state, setState] = useState<State>({ is: 'closed' });
  const [shown, setShown] = useState<{ readonly lines: readonly string[]; readonly row: number; readonly column: number }>();
  const shell = useRef<OpenShell>(undefined);
  const frame = useRef(0);
  useEffect(
    () => () => {
      cancelAnimationFrame(frame.current);
      shell.current?.close();
    },
    [],
  );
  const open = useCallback(
    (command: readonly string[], size: ShellSize) => {
      const text = new TerminalText(mostLines);
      setState({ is: 'opening' });
      const show = () => {
        cancelAnimationFrame(frame.current);
        frame.current = requestAnimationFrame(() => setShown({ lines: text.lines, ...text.cursor }));
      };
      show();
      shell.current = openShell(containerId, command, size, {
        started: () => setState({ is: 'open' }),
        wrote: (piece) => {
          text.write(piece);
          show();
        },
        ended: (end) => setState({ is: 'over', end: endInWords(end) }),
      });
    },
    [containerId],
  );
  return { state, shown, open, shell };
}

export default function Shell({ containerId }: { readonly containerId: string }) {
  const { state, shown, open, shell } = useShell(containerId);
  const screen = useRef<HTMLPreElement>(null);
  const input = useRef<HTMLTextAreaElement>(null);
  const measure = useRef<HTMLSpanElement>(null);
  const size = useCallback((): ShellSize => {
    const [room, letter] = [screen.current, measure.current?.getBoundingClientRect()];
    if (!room || !letter || letter.width === 0) return usual;
    const { paddingLeft, paddingRight, lineHeight } = getComputedStyle(room);
    const columns = Math.floor((room.clientWidth - Number.parseFloat(paddingLeft) - Number.parseFloat(paddingRight)) / (letter.width / 10));
    const rows = Math.floor(room.clientHeight / (Number.parseFloat(lineHeight) || letter.height));
    return { rows: Math.min(500, Math.max(2, rows)), columns: Math.min(500, Math.max(20, columns)) };
  }, []);
  const isOpen = state.is === 'open';
  useEffect(() => {
    const room = screen.current;
    if (!isOpen || !room) return;
    input.current?.focus();
    const observer = new ResizeObserver(() => shell.current?.resize(size()));
    observer.observe(room);
    return () => observer.disconnect();
  }, [isOpen, size, shell]);
  useEffect(() => {
    if (shown && screen.current) screen.current.scrollTop = screen.current.scrollHeight;
  }, [shown]);
  const send = (text: string) => shell.current?.send(text);
  const press = (event: KeyboardEvent<HTMLTextAreaElement>) => {
    const { key, ctrlKey, altKey, metaKey, shiftKey, nativeEvent } = event;
    // Shift and Tab leave; with Alt, Meta, or Ctrl and Shift keys are the browser's; a letter that is being put together is not there yet.
    if (nativeEvent.isComposing || altKey || metaKey || (shiftKey && (key === 'Tab' || ctrlKey))) return;
    // What is selected is copied, and pasted text comes by the clipboard.
    if (ctrlKey && (key === 'v' || (key === 'c' && !getSelection()?.isCollapsed))) return;
    const sequence = keySequence({ key, control: ctrlKey });
    if (sequence === undefined) return;
    event.preventDefault();
    event.stopPropagation();
    send(sequence);
  };
  const type = (area: HTMLTextAreaElement) => {
    if (area.value === '') return;
    send(area.value.replaceAll('\n', '\r'));
    area.value = '';
  };
  const begin = () => open([], size());
  return (
    <Panel
      title="Shell"
      aside={
        <span className="inline">
          {isOpen && (
            <>
              <button type="button" className="small" onClick={() => send('\u0003')} title="Interrupts what runs">
                Ctrl C
              </button>
              <button type="button" className="small" onClick={() => send('\u0004')} title="Ends the input, and with it a shell">
                Ctrl D
              </button>
              <button type="button" className="small" onClick={() => shell.current?.close()}>
                Close
              </button>
            </>
          )}
          {!isOpen && (
            <button type="button" className="small" disabled={state.is === 'opening'} onClick={begin}>
              {state.is === 'over' ? 'Open another' : 'Open a shell'}
            </button>
          )}
        </span>
      }
    >
      <div className={`shell is-${state.is}`}>
        {/* biome-ignore lint/a11y/useKeyWithClickEvents: the input beside it takes the keys */}
        <pre
          ref={screen}
          role="log"
          aria-label="What the shell writes"
          // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls is reached by keyboard
          tabIndex={0}
          onClick={() => {
            if (getSelection()?.isCollapsed) input.current?.focus();
          }}
        >
          {shown ? (
            <Lines {...shown} hasCursor={isOpen} />
          ) : (
            'The shell of the container, as its user. Programs that draw a whole screen need heddle container exec.'
          )}
          <span className="measure" aria-hidden="true" ref={measure}>
            MMMMMMMMMM
          </span>
        </pre>
        <textarea
          ref={input}
          aria-label="Input of the shell; Shift and Tab leave it"
          rows={1}
          autoCapitalize="off"
          autoComplete="off"
          autoCorrect="off"
          spellCheck={false}
          disabled={!isOpen}
          onKeyDown={press}
          onInput={({ currentTarget, nativeEvent }) => {
            if (!(nativeEvent as InputEvent).isComposing) type(currentTarget);
          }}
          onCompositionEnd={({ currentTarget }) => type(currentTarget)}
          onPaste={(event: ClipboardEvent) => {
            event.preventDefault();
            send(event.clipboardData.getData('text/plain').replaceAll(/\r?\n/g, '\r'));
          }}
        />
      </div>
      <p className="quiet" role="status">
        {state.is === 'opening'
          ? 'Opening …'
          : (state.end ?? (isOpen ? 'Shift and Tab leave the input. It ends when this page goes.' : ''))}
      </p>
    </Panel>
  );
}

/** The lines with the cursor in one of them. */
function Lines({
  lines,
  row,
  column,
  hasCursor,
}: {
  readonly lines: readonly string[];
  readonly row: number;
  readonly column: number;
  readonly hasCursor: boolean;
}) {
  if (!hasCursor) return lines.join('\n');
  const line = [...(lines[row] ?? '').padEnd(column + 1)];
  return (
    <>
      {lines.slice(0, row).map((each) => `${each}\n`)}
      {line.slice(0, column).join('')}
      <span className="cursor">{line[column]}</span>
      {line.slice(column + 1).join('')}
      {lines.slice(row + 1).map((each) => `\n${each}`)}
    </>
  );
}
