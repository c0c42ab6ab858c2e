// A canvas as wide as its place, sharp on every screen, drawn anew when its size or the colours change.
import { type RefObject, useCallback, useEffect, useRef } from 'react';

/** Colours of the style sheet as a canvas needs them. */
export function colours() {
  const style = getComputedStyle(document.documentElement);
  const of = (name: string) => style.getPropertyValue(name).trim();
  return {
    waiting: of('--line-strong'),
    running: of('--run'),
    good: of('--good'),
    bad: of('--bad'),
    stopped: of('--stop'),
    text: of('--text'),
    quiet: of('--text-quiet'),
    line: of('--line'),
    surface: of('--surface'),
    sunken: of('--sunken'),
    second: of('--second'),
    third: of('--third'),
    wait: of('--wait'),
    font: '11px system-ui, sans-serif',
  };
}

/** Draws on a canvas of a height that follows from its width, px; `redraw` does it again. */
export function useCanvas(
  heightOf: (width: number) => number,
  draw: (context: CanvasRenderingContext2D, width: number, height: number) => void,
): { readonly canvas: RefObject<HTMLCanvasElement | null>; readonly redraw: () => void } {
  const canvas = useRef<HTMLCanvasElement>(null);
  const latest = useRef({ heightOf, draw });
  latest.current = { heightOf, draw };
  const redraw = useCallback(() => {
    const element = canvas.current;
    const context = element?.getContext('2d');
    const width = Math.floor(element?.parentElement?.clientWidth ?? 0);
    if (!element || !context || width === 0) return;
    const height = latest.current.heightOf(width);
    const scale = devicePixelRatio || 1;
    if (element.width !== Math.round(width * scale) || element.height !== Math.round(height * scale)) {
      element.width = Math.round(width * scale);
      element.height = Math.round(height * scale);
      element.style.width = `${width}px`;
      element.style.height = `${height}px`;
    }
    context.setTransform(scale, 0, 0, scale, 0, 0);
    context.clearRect(0, 0, width, height);
    latest.current.draw(context, width, height);
  }, []);
  useEffect(() => {
    const parent = canvas.current?.parentElement;
    if (!parent) return;
    const observer = new ResizeObserver(redraw);
    observer.observe(parent);
    const scheme = matchMedia('(prefers-color-scheme: dark)');
    scheme.addEventListener('change', redraw);
    addEventListener('heddle-theme', redraw);
    return () => {
      observer.disconnect();
      scheme.removeEventListener('change', redraw);
      removeEventListener('heddle-theme', redraw);
    };
  }, [redraw]);
  return { canvas, redraw };
}
