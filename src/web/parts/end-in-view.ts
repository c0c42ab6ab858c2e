// What grows at its end shows that, until somebody reads further up.
import { useEffect, useRef, useState } from 'react';

/** The end may be so far off and counts as looked at, px. */
const nearPx = 40;

/** The `ref` of what scrolls. `content`: when it is another, there may be more; `isWanted`: whether its end is what is looked at. */
export function useEndInView(content: unknown, isWanted = true): (element: HTMLElement | null) => void {
  const [element, setElement] = useState<HTMLElement | null>(null);
  const isAtEnd = useRef(true);
  useEffect(() => {
    if (!element) return undefined;
    isAtEnd.current = true;
    const look = () => {
      isAtEnd.current = element.scrollHeight - element.scrollTop - element.clientHeight < nearPx;
    };
    element.addEventListener('scroll', look, { passive: true });
    return () => element.removeEventListener('scroll', look);
  }, [element]);
  useEffect(() => {
    if (element && content !== undefined && isWanted && isAtEnd.current) element.scrollTop = element.scrollHeight;
  }, [element, content, isWanted]);
  return setElement;
}
