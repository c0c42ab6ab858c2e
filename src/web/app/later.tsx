// Parts of a page whose scripts come when they are first shown. React's own way, `lazy`, keeps what came soon after back until the words in its place
// have stood there for 300 ms.
import { type ComponentType, useEffect, useState } from 'react';
import { Loading } from '../parts/problem.tsx';
import { failLoading } from './not-loaded.tsx';

/** A component that is loaded when it is first shown; until then the page says that it loads. */
export function later<Props extends object>(load: () => Promise<{ readonly default: ComponentType<Props> }>): ComponentType<Props> {
  let Found: ComponentType<Props> | undefined;
  return function Later(props: Props) {
    const [, setLoaded] = useState(false);
    const [error, setError] = useState<unknown>();
    useEffect(() => {
      if (Found) return;
      load()
        .then((module) => {
          Found = module.default;
          setLoaded(true);
        }, failLoading)
        .catch(setError);
    }, []);
    if (error !== undefined) throw error;
    return Found ? <Found {...props} /> : <Loading />;
  };
}
