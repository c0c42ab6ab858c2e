// Dark or light: as the system says, unless the reader chose.

export type Theme = 'system' | 'light' | 'dark';
const key = 'heddle.theme';

/** What was chosen in this browser; a browser that keeps nothing follows the system. */
export function chosenTheme(): Theme {
  try {
    const kept = localStorage.getItem(key);
    return kept === 'light' || kept === 'dark' ? kept : 'system';
  } catch {
    return 'system';
  }
}

/** Shows the pages as chosen. */
export function applyTheme(theme: Theme = chosenTheme()): void {
  const { dataset } = document.documentElement;
  if (theme === 'system') delete dataset['theme'];
  else dataset['theme'] = theme;
  dispatchEvent(new Event('heddle-theme'));
}

/** Keeps a choice and applies it. */
export function chooseTheme(theme: Theme): void {
  try {
    if (theme === 'system') localStorage.removeItem(key);
    else localStorage.setItem(key, theme);
  } catch {
    // It holds until the page is left.
  }
  applyTheme(theme);
}
