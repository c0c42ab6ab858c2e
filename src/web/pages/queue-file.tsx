// Tries a whole queue file on what runs and waits now. Nothing is changed: the file is taken over where the cluster reads it.
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { type FormEvent, useState } from 'react';
import { queueWhatIfQuery } from '../api/queues.ts';
import { counted } from '../format/amounts.ts';
import type { QueueFileBody } from '../format/queue-change.ts';
import { queueFileBody } from '../format/queue-file.ts';
import { PageHead, Panel } from '../parts/basics.tsx';
import { Differences } from '../parts/queue-history.tsx';
import { WhatIf } from '../parts/what-if.tsx';
import './queue-file.css';

export default function QueueFile() {
  const [text, setText] = useState('');
  const [asked, setAsked] = useState<QueueFileBody>();
  const [fault, setFault] = useState<string>();
  const write = (next: string) => {
    setText(next);
    setAsked(undefined);
    setFault(undefined);
  };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    const body = queueFileBody(text);
    if (typeof body === 'string') return setFault(body);
    setAsked(body);
  };
  return (
    <>
      <PageHead title="Try a queue file">
        <Link className="button" to="/queues">
          Back
        </Link>
      </PageHead>
      <Panel title="The file">
        <form className="queue-file" onSubmit={submit}>
          <p className="quiet">
            A capacity-scheduler.xml or fair-scheduler.xml as it would be. The scheduler says what it would do to what runs and waits now;
            nothing is changed.
          </p>
          <p className="inline">
            <label>
              Choose it{' '}
              <input
                type="file"
                accept=".xml,application/xml,text/xml"
                onChange={(event) => void event.target.files?.[0]?.text().then(write)}
              />
            </label>
          </p>
          <textarea
            aria-label="Text of the file"
            rows={14}
            spellCheck={false}
            placeholder="or paste it here"
            value={text}
            onChange={(event) => write(event.target.value)}
          />
          <p className="inline">
            <button type="submit" className="primary" disabled={text.trim() === ''}>
              Try it
            </button>
          </p>
          {fault && (
            <p className="problem" role="alert">
              {fault}
            </p>
          )}
        </form>
      </Panel>
      {asked && (
        <Panel title="What it comes to">
          <WhatIf body={asked} />
          <Keys body={asked} />
        </Panel>
      )}
    </>
  );
}

/** What the file sets otherwise than the queues of now. */
function Keys({ body }: { readonly body: QueueFileBody }) {
  const { data: told } = useQuery(queueWhatIfQuery(body));
  if (!told || told.keys.length === 0) return null;
  return (
    <details open={told.keys.length < 30}>
      <summary>{counted(told.keys.length + told.moreKeys, 'key')} would be set otherwise</summary>
      <Differences keys={told.keys.map(({ key, before, after }) => ({ key, before, after }))} />
      {told.moreKeys > 0 && <p className="quiet">and {counted(told.moreKeys, 'more key')}</p>}
    </details>
  );
}
