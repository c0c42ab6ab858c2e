// What an application was submitted with, and the file that submits it again.
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import type { SubmittedContext, SubmittedFile } from '../../wire/cluster/submitted.ts';
import { submissionQuery } from '../api/application.ts';
import { useAnswer } from '../api/use-answer.ts';
import { amountOf, bytes, count, memory, vcores } from '../format/amounts.ts';
import { commandText, retriesText } from '../format/submission.ts';
import { duration } from '../format/times.ts';
import { Ago, Copy, Facts, Panel } from './basics.tsx';
import { Loading, Problem } from './problem.tsx';
import { type Column, Table } from './table.tsx';
import './submitted.css';

type Size = Readonly<Record<string, number>>;

/** Amounts by names of resource types; what nobody said is not there. */
const sizeText = ({ memoryMiB = 0, vcores: cores = 0, ...others }: Size): string =>
  [
    ...(memoryMiB > 0 ? [memory(memoryMiB)] : []),
    ...(cores > 0 ? [vcores(cores)] : []),
    ...Object.entries(others).flatMap(([type, amount]) => (amount > 0 ? [amountOf(type, amount)] : [])),
  ].join(', ');

const none = (words: string) => <span className="quiet">{words}</span>;

/** A text of programs as it was written. */
const Code = ({ text, wraps }: { readonly text: string; readonly wraps: boolean }) => (
  // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls is reached by keyboard
  <pre className={wraps ? 'code wraps' : 'code'} tabIndex={0}>
    {text}
  </pre>
);

interface Variable {
  readonly name: string;
  /** Undefined: hidden. */
  readonly value: string | undefined;
}

const variableColumns: readonly Column<Variable>[] = [
  { id: 'name', title: 'Name', cell: ({ name }) => <code>{name}</code>, sort: (a, b) => a.name.localeCompare(b.name) },
  {
    id: 'value',
    title: 'Value',
    shortens: true,
    cell: ({ value }) => (
      <span className="name" title={value}>
        {value ?? none('hidden')}
      </span>
    ),
  },
];

const fileColumns: readonly Column<SubmittedFile>[] = [
  { id: 'name', title: 'Name', cell: ({ name, archive }) => `${name}${archive ? '/' : ''}` },
  {
    id: 'from',
    title: 'From',
    shortens: true,
    cell: ({ address }) => (
      <span className="name" title={address}>
        {address === undefined ? none('hidden') : address.startsWith('staging:') ? 'brought along' : address}
      </span>
    ),
  },
  { id: 'bytes', title: 'Size', isNumber: true, cell: ({ bytes: size }) => (size === undefined ? none('not said') : bytes(size)) },
];

/** The part of an application's page. */
export function Submitted({ id }: { readonly id: string }) {
  const { data, error } = useAnswer(submissionQuery(id));
  const [wraps, setWraps] = useState(true);
  if (error) return <Problem error={error} />;
  if (!data) return <Loading />;
  const { run, launch, hiddenVariables, notes, yaml } = data;
  const { environment = {}, files = [], secrets = [] } = run ?? launch ?? {};
  const command = run ? run.command && commandText(run.command) : launch?.commands?.join('\n');
  const variables: readonly Variable[] = [
    ...Object.entries(environment).map(([name, value]) => ({ name, value })),
    ...hiddenVariables.map((name) => ({ name, value: undefined })),
  ];
  const wrap = (
    <label className="inline">
      <input type="checkbox" checked={wraps} onChange={({ target }) => setWraps(target.checked)} /> Wrap lines
    </label>
  );
  return (
    <>
      {notes.length > 0 && (
        <section className="notice" aria-label="What is not shown">
          {notes.map((note) => (
            <p key={note}>{note}</p>
          ))}
        </section>
      )}
      {command !== undefined && (
        <Panel
          title={run ? 'Command' : 'What its master runs'}
          aside={
            <span className="inline">
              {wrap}
              <Copy text={command} label="Copy the command" />
            </span>
          }
        >
          <Code text={command} wraps={wraps} />
        </Panel>
      )}
      <Panel title="What was asked for">
        <Facts rows={askedFor(data)} />
      </Panel>
      {variables.length > 0 && (
        <Panel title="Environment">
          <Table
            label="Environment"
            columns={variableColumns}
            rows={variables}
            rowKey={({ name }) => name}
            empty="It was given no variables."
          />
        </Panel>
      )}
      {files.length > 0 && (
        <Panel title="Files">
          <Table label="Files" columns={fileColumns} rows={files} rowKey={({ name }) => name} empty="It brought no files." />
        </Panel>
      )}
      {secrets.length > 0 && (
        <Panel title="Secrets">
          <p>
            {secrets.join(', ')} <span className="quiet">What they hold is shown to nobody.</span>
          </p>
        </Panel>
      )}
      {yaml !== undefined && (
        <Panel
          title="As a file"
          aside={
            <span className="inline">
              <Link className="button small" to={`/submit?again=${id}`}>
                Submit again, changed
              </Link>
              <Copy text={yaml} label="Copy the file" />
              <a className="button small" download={`${id}.yaml`} href={`data:application/yaml;charset=utf-8,${encodeURIComponent(yaml)}`}>
                Download
              </a>
            </span>
          }
        >
          <Code text={yaml} wraps={wraps} />
          <p className="quiet">
            <code>heddle run {id}.yaml</code> submits it again.
          </p>
        </Panel>
      )}
    </>
  );
}

function askedFor({ run, launch, master, ...data }: SubmittedContext) {
  const shown = (text: string | undefined, instead: string) => text || none(instead);
  return [
    ['Submitted', <Ago key="submitted" ms={data.submittedTime} />],
    ['Queue', shown(data.queue, 'by the mapping rules')],
    ['Priority', data.priority === undefined ? none('the default') : count(data.priority)],
    ...(run
      ? ([
          ['Instances', count(run.instances)],
          ['Size of each', sizeText({ memoryMiB: run.memoryMiB, vcores: run.vcores, ...run.resources })],
          ['Tries again', retriesText(run.retries)],
          ...(run.constraint === undefined ? [] : ([['Where', <code key="where">{run.constraint}</code>]] as const)),
          ...(run.tags.length === 0 ? [] : ([['Tags of containers', run.tags.join(', ')]] as const)),
          ...(run.opportunistic ? ([['In what others leave free', 'yes']] as const) : []),
        ] as const)
      : []),
    ['Size of its master', shown(sizeText(master), data.unmanaged ? 'it runs elsewhere' : 'the default')],
    ['Attempts', data.maximumAttempts === undefined ? none('as many as the cluster lets') : count(data.maximumAttempts)],
    ['Tags', shown(data.tags.join(', '), 'none')],
    ['Lives at most', data.lifetimeSeconds === undefined ? none('not said') : duration(data.lifetimeSeconds * 1000)],
    ...(data.label === undefined ? [] : ([['Node label', data.label]] as const)),
    ...(data.masterLabel === undefined ? [] : ([['Label of its master', data.masterLabel]] as const)),
    ...(data.masterPlaces === undefined ? [] : ([['Where its master', data.masterPlaces.join(', ')]] as const)),
    ...(data.reservationId === undefined ? [] : ([['Reservation', data.reservationId]] as const)),
    ...(launch && launch.services.length > 0 ? ([['Services of nodes', launch.services.join(', ')]] as const) : []),
    ...(launch?.credentials ? ([['Credentials', 'brought along; shown to nobody']] as const) : []),
    ['May view it', shown(data.viewers, 'no list given')],
    ['May change it', shown(data.modifiers, 'no list given')],
  ] as const;
}
