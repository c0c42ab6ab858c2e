// The state of a queue.
import { Status } from './basics.tsx';

const kinds = { RUNNING: ['good', 'open'], DRAINING: ['warning', 'draining'], STOPPED: ['stopped', 'stopped'] } as const;

export function QueueState({ state }: { readonly state: string | undefined }) {
  if (state === undefined) return <span className="quiet">has no states</span>;
  const [kind, word] = kinds[state as keyof typeof kinds] ?? ['unsure', undefined];
  return <Status state={state} kind={kind} {...(word && { word })} />;
}
