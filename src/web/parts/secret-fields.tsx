// Values of a form that nobody sees: a row each, as many as are wanted. The inputs are named after what they are: `secret-name`, `secret-value`.
import { useState } from 'react';

const words = {
  secret: { legend: 'Secrets', one: 'secret' },
  variable: { legend: 'Variables whose values were hidden', one: 'variable' },
} as const;

/** `names`: those that are there from the beginning, whose values have to be given again. */
export function SecretFields({ kind = 'secret', names = [] }: { readonly kind?: keyof typeof words; readonly names?: readonly string[] }) {
  const [rows, setRows] = useState<readonly { readonly key: number; readonly name: string }[]>(names.map((name, key) => ({ key, name })));
  const { legend, one } = words[kind];
  return (
    <fieldset className="secrets">
      <legend>{legend}</legend>
      {rows.map(({ key, name }, index) => (
        <div className="row" key={key}>
          <label>
            Name of {one} {index + 1}{' '}
            <input name={`${kind}-name`} defaultValue={name} maxLength={200} required autoComplete="off" spellCheck={false} />
          </label>
          <label>
            Value of {one} {index + 1} <input name={`${kind}-value`} type="password" required autoComplete="new-password" />
          </label>
          <button type="button" onClick={() => setRows(rows.filter((each) => each.key !== key))} aria-label={`Remove ${one} ${index + 1}`}>
            Remove
          </button>
        </div>
      ))}
      {names.length > 0 && <span className="quiet">Nobody is shown what they held: give the values again.</span>}
      {kind === 'secret' && (
        <div className="inline">
          <button type="button" onClick={() => setRows([...rows, { key: (rows.at(-1)?.key ?? 0) + 1, name: '' }])}>
            Add a secret
          </button>
          <span className="quiet">
            A file in each container, which <code>NAME_FILE</code> names. No page and no list shows it.
          </span>
        </div>
      )}
    </fieldset>
  );
}
