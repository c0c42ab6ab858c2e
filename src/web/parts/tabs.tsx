// The parts of a page that has several: the one that the address names is shown, and the first where it names none that there is.

export function Tabs({
  label,
  tabs,
  shown,
  onChange,
}: {
  readonly label: string;
  readonly tabs: readonly (readonly [name: string, title: string, ...rest: unknown[]])[];
  readonly shown: string;
  readonly onChange: (name: string) => void;
}) {
  return (
    <nav className="tabs" aria-label={label}>
      {tabs.map(([name, title]) => (
        <button key={name} type="button" aria-current={name === shown ? 'page' : undefined} onClick={() => onChange(name)}>
          {title}
        </button>
      ))}
    </nav>
  );
}
