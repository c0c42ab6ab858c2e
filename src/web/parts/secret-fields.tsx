// Secrets of a form: a row each, as many as are wanted. Their inputs are named `secret-name` and `secret-value`.
import { useState } from 'react';

export function SecretFields() {
  const [rows, setRows] = useState<readonly number[]>([]);
  return (
    <fieldset className="secrets">
      <legend>Secrets</legend>
      {rows.map((row, index) => (
        <div className="row" key={row}>
          <label>
            Name of secret {index + 1} <input name="secret-name" maxLength={200} required autoComplete="off" spellCheck={false} />
          </label>
          <label>
            Value of secret {index + 1} <input name="secret-value" type="password" required autoComplete="new-password" />
          </label>
          <button type="button" onClick={() => setRows(rows.filter((each) => each !== row))} aria-label={`Remove secret ${index + 1}`}>
            Remove
          </button>
        </div>
      ))}
      <div className="inline">
        <button type="button" onClick={() => setRows([...rows, (rows.at(-1) ?? 0) + 1])}>
          Add a secret
        </button>
        <span className="quiet">
          A file in each container, which <code>NAME_FILE</code> names. No page and no list shows it.
        </span>
      </div>
    </fieldset>
  );
}
