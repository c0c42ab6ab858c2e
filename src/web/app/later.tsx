// Parts of a page whose scripts come when they are first shown. React's own way, `lazy`, keeps what came soon after back until the words in its place
// have stood there for 300 ms.
import { type ComponentType, type ReactNode, useEffect, useState } from 'react';
import { Loading } from '../parts/problem.tsx';
import { failLoading } from './not-loaded.tsx';

/** A component whose script comes later. */
export interface LaterComponent<Props extends object> {
  (props: Props): ReactNode;
  /** Has the script come, if it does: where it does not, the component says so. */
  readonly begin: () => Promise<void>;
}

/** A component that is loaded when it is first shown, or begun before; until then the page says that it loads. */
export function later<Props extends object>(load: () => Promise<{ readonly default: ComponentType<Props> }>): LaterComponent<Props> {
  let Found: ComponentType<Props> | undefined;
  let coming: Promise<void> | undefined;
  const begin = () => {
    coming ??= load().then(
      (module) => {
        Found = module.default;
      },
      (cause: unknown) => {
        coming = undefined;
        failLoading(cause);
      },
    );
    return coming;
  };
  function Later(props: Props) {
    const [, setLoaded] = useState(false);
    const [error, setError] = useState<unknown>();
    useEffect(() => {
      if (!Found) begin().then(() => setLoaded(true), setError);
    }, []);
    if (error !== undefined) throw error;
    return Found ? <Found {...props} /> : <Loading />;
  }
  return Object.assign(Later, { begin: () => begin().catch(() => undefined) });
}
