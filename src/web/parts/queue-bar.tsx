// What a queue has, waits for, is promised and may have, as one bar: its width is all there is.
import { amountOf, shareOf } from '../format/amounts.ts';
import type { QueueShare } from '../format/queue-tree.ts';
import './queue-bar.css';

const place = (share: number): string => `${Math.min(100, Math.max(0, share * 100)).toFixed(2)}%`;

/** The bar; `all`: how much there is of `type` in the partition. */
export function QueueBar({
  share,
  type,
  all,
  name,
}: {
  readonly share: QueueShare;
  readonly type: string;
  readonly all: number;
  readonly name: string;
}) {
  const of = (amounts: QueueShare['used']) => shareOf(amounts[type] ?? 0, all);
  const [used, pending, guaranteed, maximum] = [of(share.used), of(share.pending), of(share.guaranteed), of(share.maximum)];
  const words = `${name}: ${amountOf(type, share.used[type] ?? 0)} used, ${amountOf(type, share.pending[type] ?? 0)} asked for, ${amountOf(type, share.guaranteed[type] ?? 0)} guaranteed, at most ${amountOf(type, share.maximum[type] ?? 0)}`;
  return (
    <span className="queue-bar" role="img" aria-label={words} title={words}>
      <i className="may" style={{ width: place(maximum) }} />
      <i className="asked" style={{ left: place(used), width: place(Math.min(pending, 1 - used)) }} />
      <i className="own" style={{ width: place(Math.min(used, guaranteed)) }} />
      {used > guaranteed && <i className="beyond" style={{ left: place(guaranteed), width: place(used - guaranteed) }} />}
      {guaranteed > 0 && <i className="promised" style={{ left: place(guaranteed) }} />}
    </span>
  );
}

/** What the parts of a bar mean. */
export const QueueLegend = ({ promise }: { readonly promise: string }) => (
  <p className="queue-legend">
    <span>
      <i className="own" /> used
    </span>
    <span>
      <i className="promised" /> {promise.toLowerCase()}
    </span>
    <span>
      <i className="beyond" /> used beyond that
    </span>
    <span>
      <i className="asked" /> asked for
    </span>
    <span>
      <i className="may" /> at most
    </span>
  </p>
);
