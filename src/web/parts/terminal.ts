// A terminal as programs know them, by xterm.js: in the colours of the style sheet, as large as its place, and within the policy of the pages, which
// lets no style sheet be written into a page.
import { FitAddon } from '@xterm/addon-fit';
import { type ITheme, type IUnicodeVersionProvider, Terminal } from '@xterm/xterm';
import '@xterm/xterm/css/xterm.css';
import type { ShellSize } from '../api/shell.ts';
import { letterWidth } from '../format/letter-widths.ts';

/** Lines above the window that are kept. */
const keptLines = 5000;
/** Letters are told from what is behind them as the pages' own are (WCAG 2.2, 1.4.3), whatever colours a program chooses. */
const leastContrast = 4.5;

/** What a terminal tells. */
export interface TerminalListener {
  /** What is typed or pasted, and what the terminal answers when it is asked what it is. */
  typed(input: string | Uint8Array<ArrayBuffer>): void;
  resized(size: ShellSize): void;
}

/** A terminal in a page. */
export interface PageTerminal {
  readonly size: ShellSize;
  /** Shows what a program wrote; calls `shown` when it was taken. */
  write(bytes: Uint8Array, shown: () => void): void;
  focus(): void;
  /** Takes no more input, and shows no cursor. */
  stop(): void;
  /** Whether what it shows is told to screen readers, which costs time with each letter. */
  tellReaders(isOn: boolean): void;
  dispose(): void;
}

/** Makes one in an empty element of some size, which may change. */
export function openTerminal(place: HTMLElement, listener: TerminalListener): PageTerminal {
  const { fontFamily, fontSize } = getComputedStyle(place);
  const terminal = new Terminal({
    fontFamily,
    fontSize: Number.parseFloat(fontSize),
    scrollback: keptLines,
    minimumContrastRatio: leastContrast,
    theme: themeOf(place),
    // The widths of letters are such an interface.
    allowProposedApi: true,
  });
  terminal.unicode.register(widths);
  terminal.unicode.activeVersion = widths.version;
  const fit = new FitAddon();
  terminal.loadAddon(fit);
  const sheets = openWithSheets(terminal, place);
  fit.fit();
  terminal.attachCustomKeyEventHandler((event) => isForTerminal(event, terminal));
  terminal.onData((text) => listener.typed(text));
  terminal.onBinary((bytes) => listener.typed(Uint8Array.from(bytes, (each) => each.charCodeAt(0))));
  terminal.onResize(({ rows, cols }) => listener.resized({ rows, columns: cols }));
  // What was copied is no longer chosen, so that Ctrl C interrupts the next time.
  place.addEventListener('copy', () => terminal.clearSelection());
  const observer = new ResizeObserver(() => fit.fit());
  observer.observe(place);
  const recolour = () => {
    terminal.options.theme = themeOf(place);
  };
  const scheme = matchMedia('(prefers-color-scheme: dark)');
  scheme.addEventListener('change', recolour);
  addEventListener('heddle-theme', recolour);
  return {
    get size() {
      return { rows: terminal.rows, columns: terminal.cols };
    },
    write: (bytes, shown) => terminal.write(bytes, shown),
    focus: () => terminal.focus(),
    stop() {
      terminal.options.disableStdin = true;
      terminal.write(hideCursor);
    },
    tellReaders(isOn) {
      terminal.options.screenReaderMode = isOn;
    },
    dispose() {
      observer.disconnect();
      scheme.removeEventListener('change', recolour);
      removeEventListener('heddle-theme', recolour);
      terminal.dispose();
      document.adoptedStyleSheets = document.adoptedStyleSheets.filter((sheet) => !sheets.includes(sheet));
    },
  };
}

/** Widths as bits: whether a letter joins the one before it, then its columns (xterm.js, UnicodeService). */
const widths: IUnicodeVersionProvider = {
  version: 'of the node',
  wcwidth: letterWidth,
  charProperties(codePoint, preceding) {
    const width = letterWidth(codePoint);
    const before = (preceding >> 1) & 3;
    return width === 0 && before > 0 ? (before << 1) | 1 : width << 1;
  },
};

const hideCursor = '\u001b[?25l';

/** The colours of the page; those of programs are the terminal's own, as far as they can be read on them. */
function themeOf(place: HTMLElement): ITheme {
  const style = getComputedStyle(place);
  const [background, foreground, cursor, selectionBackground, slider] = [
    '--sunken',
    '--text',
    '--accent',
    '--accent-soft',
    '--line-strong',
  ].map((name) => style.getPropertyValue(name).trim());
  return {
    ...{ background, foreground, cursor, cursorAccent: background, selectionBackground },
    ...{ scrollbarSliderBackground: slider, scrollbarSliderHoverBackground: slider, scrollbarSliderActiveBackground: slider },
  };
}

/** Whether a key is the terminal's; the others are the browser's. */
function isForTerminal(event: KeyboardEvent, terminal: Terminal): boolean {
  const { type, key, ctrlKey, altKey, metaKey, shiftKey } = event;
  if (key === 'Tab' && shiftKey) return false;
  if (type !== 'keydown' || !ctrlKey || altKey || metaKey) return true;
  const letter = key.toLowerCase();
  if (letter === 'c' && shiftKey) {
    // Else browsers open their tools.
    event.preventDefault();
    if (terminal.hasSelection()) document.execCommand('copy');
    return false;
  }
  if (letter === 'c') return !terminal.hasSelection();
  // Programs that draw the whole screen have a meaning of their own for it.
  return letter !== 'v' || (!shiftKey && terminal.buffer.active.type === 'alternate');
}

/** Opens it so that what it writes into `style` elements, which the pages' policy keeps out, goes into sheets of the page that a script makes. */
function openWithSheets(terminal: Terminal, place: HTMLElement): CSSStyleSheet[] {
  const sheets: CSSStyleSheet[] = [];
  const create = document.createElement.bind(document);
  const value = (name: string) => {
    if (name !== 'style') return create(name);
    const sheet = new CSSStyleSheet();
    sheets.push(sheet);
    return Object.defineProperty(create('template'), 'textContent', { set: (text: string) => sheet.replaceSync(text) });
  };
  // Its option `documentOverride` does not reach all of its parts.
  Object.defineProperty(document, 'createElement', { value, configurable: true });
  try {
    terminal.open(place);
  } finally {
    Reflect.deleteProperty(document, 'createElement');
  }
  document.adoptedStyleSheets = [...document.adoptedStyleSheets, ...sheets];
  return sheets;
}
