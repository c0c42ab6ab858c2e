// One of a few values, as buttons side by side; of many, as a list to choose from.

/** More values than this are a list. */
const mostButtons = 5;

export function Choice({
  label,
  value,
  options,
  onChange,
}: {
  readonly label: string;
  readonly value: string;
  readonly options: readonly (readonly [value: string, word: string])[];
  readonly onChange: (value: string) => void;
}) {
  if (options.length > mostButtons)
    return (
      <select aria-label={label} value={value} onChange={(event) => onChange(event.target.value)}>
        {options.map(([each, word]) => (
          <option key={each} value={each}>
            {word}
          </option>
        ))}
      </select>
    );
  return (
    <fieldset className="choices">
      <legend className="unseen">{label}</legend>
      {options.map(([each, word]) => (
        <button key={each} type="button" aria-pressed={value === each} onClick={() => onChange(each)}>
          {word}
        </button>
      ))}
    </fieldset>
  );
}
