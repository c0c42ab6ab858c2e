// Asks the server for what an operation reads, in the name of who looks.
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { queryText, request } from '../api/http.ts';
import { type Endpoint, filledPath } from '../format/open-api.ts';
import { Problem } from '../parts/problem.tsx';
import { Code } from './code.tsx';

/** How much of an answer is shown, characters. */
const mostShown = 100_000;

interface Told {
  readonly status: number;
  readonly type: string;
  readonly text: string;
  readonly isCut: boolean;
}

/** Sends the request; of an answer that does not end the beginning is shown. */
async function ask(address: string): Promise<Told> {
  const response = await request(address, { accept: 'application/json, */*' });
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
  let text = '';
  for (let part = await reader?.read(); part && !part.done; part = await reader?.read()) {
    text += part.value;
    if (text.length < mostShown) continue;
    void reader?.cancel();
    return { status: response.status, type: typeOf(response), text: text.slice(0, mostShown), isCut: true };
  }
  return { status: response.status, type: typeOf(response), text, isCut: false };
}

const typeOf = (response: Response): string => response.headers.get('content-type') ?? '';

/** JSON as people read it; everything else as it is. */
function readable({ type, text, isCut }: Told): string {
  if (isCut || !type.includes('json')) return text;
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}

export function TryIt({ endpoint: { path, operation } }: { readonly endpoint: Endpoint }) {
  const fields = (operation.parameters ?? []).filter((parameter) => parameter.in !== 'header' && parameter.name !== 'doAs');
  const [values, setValues] = useState<Readonly<Record<string, string>>>({});
  const asked = useMutation({ mutationFn: ask });
  const query = Object.fromEntries(fields.filter((field) => field.in === 'query').map(({ name }) => [name, values[name]]));
  const address = filledPath(path, values) + queryText(query);
  const isWhole = !fields.some((field) => field.in === 'path' && !values[field.name]);
  return (
    <form
      className="operation-part"
      aria-label="Try it"
      onSubmit={(event) => {
        event.preventDefault();
        asked.mutate(address);
      }}
    >
      <h3>Try it</h3>
      <div className="tried">
        {fields.map(({ name, in: place, example }) => (
          <label key={name}>
            {name}
            <input
              name={name}
              required={place === 'path'}
              placeholder={example === undefined ? '' : String(example)}
              value={values[name] ?? ''}
              onChange={(event) => setValues({ ...values, [name]: event.target.value })}
            />
          </label>
        ))}
      </div>
      <p className="inline">
        <button type="submit" className="primary" disabled={!isWhole || asked.isPending}>
          Ask
        </button>
        <code>GET {address}</code>
      </p>
      {asked.error && <Problem error={asked.error} />}
      {asked.data && (
        <>
          <p role="status">
            <b className="is-good">{asked.data.status}</b> <span className="quiet">{asked.data.type}</span>
            {asked.data.isCut && ` The first ${mostShown} characters of the answer:`}
          </p>
          <Code label="What it answered" text={readable(asked.data)} />
        </>
      )}
    </form>
  );
}
