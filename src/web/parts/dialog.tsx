// Questions before something changes, and short notes after.
import { type FormEvent, type ReactNode, useEffect, useId, useRef, useState, useSyncExternalStore } from 'react';
import { Problem } from './problem.tsx';

/** A modal window by the browser's own element: focus stays in it, Escape closes it. */
export function Dialog({
  title,
  onClose,
  children,
}: {
  /** What people named stands in it as `<bdi>`: it may turn what follows. */
  readonly title: ReactNode;
  readonly onClose: () => void;
  readonly children: ReactNode;
}) {
  const element = useRef<HTMLDialogElement>(null);
  const id = useId();
  useEffect(() => {
    const dialog = element.current;
    const before = document.activeElement;
    if (dialog && !dialog.open) dialog.showModal();
    // The browser gives the focus back where its own key closes the window, not where the window goes with what asked.
    return () => {
      if (before instanceof HTMLElement && before.isConnected && !document.activeElement?.closest('dialog')) before.focus();
    };
  }, []);
  return (
    <dialog ref={element} aria-labelledby={id} onClose={onClose}>
      <h2 id={id}>{title}</h2>
      {children}
    </dialog>
  );
}

/** What a question is made of. `run` changes something and says what it did; its failure is shown in the window. */
export interface QuestionProps {
  readonly title: ReactNode;
  readonly action: string;
  readonly isDangerous?: boolean;
  readonly children: ReactNode;
  readonly run: (form: FormData) => Promise<ReactNode>;
  readonly onClose: () => void;
}

export function Question({ title, action, isDangerous = false, children, run, onClose }: QuestionProps) {
  const [error, setError] = useState<unknown>();
  const [isRunning, setRunning] = useState(false);
  const send = async (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    setRunning(true);
    setError(undefined);
    try {
      note(await run(new FormData(event.currentTarget)));
      onClose();
    } catch (problem) {
      setError(problem);
      setRunning(false);
    }
  };
  return (
    <Dialog title={title} onClose={onClose}>
      {/* What is written anew has not failed yet. */}
      <form onSubmit={(event) => void send(event)} onChange={() => setError(undefined)}>
        {children}
        {error !== undefined && <Problem error={error} />}
        <div className="actions">
          <button type="button" onClick={onClose}>
            Cancel
          </button>
          <button type="submit" className={isDangerous ? 'danger' : 'primary'} disabled={isRunning}>
            {isRunning ? 'Working …' : action}
          </button>
        </div>
      </form>
    </Dialog>
  );
}

let notes: readonly { readonly id: number; readonly text: ReactNode }[] = [];
let lastNote = 0;
const listeners = new Set<() => void>();
const setNotes = (next: typeof notes) => {
  notes = next;
  for (const listener of listeners) listener();
};

/** Says in a corner what was done; goes after six seconds. */
export function note(text: ReactNode): void {
  const id = ++lastNote;
  setNotes([...notes, { id, text }].slice(-4));
  setTimeout(() => setNotes(notes.filter((each) => each.id !== id)), 6000);
}

/** Where notes stand. */
export function Notes() {
  const shown = useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    () => notes,
  );
  return (
    <div className="notes" role="status" aria-live="polite">
      {shown.map(({ id, text }) => (
        <p key={id}>{text}</p>
      ))}
    </div>
  );
}
