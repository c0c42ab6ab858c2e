// Labels: which nodes are apart, what they have, who may use them.

import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { useCaller } from '../api/frame.ts';
import { change } from '../api/http.ts';
import { type Label, labelsQuery, nodesQuery } from '../api/nodes.ts';
import { queuesQuery } from '../api/queues.ts';
import { useAnswer } from '../api/use-answer.ts';
import { amountOf, counted, percent, shareOf } from '../format/amounts.ts';
import { amountsOf, queuesOf, shareIn, sumOf } from '../format/queue-tree.ts';
import { Meter, PageHead } from '../parts/basics.tsx';
import { Question } from '../parts/dialog.tsx';
import { FailedPage } from '../parts/failed-page.tsx';
import { Loading } from '../parts/problem.tsx';
import { type Column, Table } from '../parts/table.tsx';

export default function Labels() {
  const { data: labels, error, refetch } = useAnswer(labelsQuery);
  const caller = useCaller();
  const [asked, setAsked] = useState<'add' | Label>();
  if (error) return <FailedPage title="Labels" error={error} retry={() => void refetch()} />;
  if (!labels) return <Loading />;
  return (
    <>
      <PageHead title="Labels" beside={<span className="quiet">{counted(labels.length - 1, 'label')}</span>}>
        {caller?.isAdministrator && (
          <button type="button" className="primary" onClick={() => setAsked('add')}>
            Add a label
          </button>
        )}
      </PageHead>
      <p className="quiet">A label sets nodes apart. Work gets there by asking for the label, in queues that have a share of it.</p>
      <LabelTable labels={labels} {...(caller?.isAdministrator && { onRemove: setAsked })} />
      {asked === 'add' && <Add onClose={() => setAsked(undefined)} />}
      {asked !== undefined && asked !== 'add' && <Remove label={asked} onClose={() => setAsked(undefined)} />}
    </>
  );
}

function LabelTable({ labels, onRemove }: { readonly labels: readonly Label[]; readonly onRemove?: (label: Label) => void }) {
  const { data: tree } = useQuery(queuesQuery);
  const { data: nodes = [] } = useQuery(nodesQuery);
  const given = (name: string, type: string) =>
    sumOf(nodes.filter(({ label, isAway }) => label === name && !isAway).map(({ used }) => used))[type] ?? 0;
  const amount = (type: string) => (label: Label) => {
    const all = amountsOf(label.resource)[type] ?? 0;
    if (all === 0) return <span className="quiet">–</span>;
    return (
      <span className="given">
        <Meter
          share={shareOf(given(label.name, type), all)}
          label={`${type === 'vcores' ? 'vcores' : 'memory'} of ${label.name || 'nodes without label'} given away`}
        />
        <span>
          {amountOf(type, given(label.name, type))} <span className="quiet">of {amountOf(type, all)}</span>
        </span>
      </span>
    );
  };
  const columns: readonly Column<Label>[] = [
    {
      id: 'name',
      title: 'Label',
      sort: (a, b) => a.name.localeCompare(b.name, 'en'),
      cell: ({ name }) => (name === '' ? <span className="quiet">without label</span> : <b>{name}</b>),
    },
    {
      id: 'nodes',
      title: 'Nodes',
      isNumber: true,
      sort: (a, b) => a.nodes - b.nodes,
      cell: ({ name, nodes: count }) => (
        <Link to={name === '' ? '/nodes' : `/nodes?label=${encodeURIComponent(name)}`}>{counted(count, 'node')}</Link>
      ),
    },
    { id: 'memory', title: 'Memory given away', gives: 'first', cell: amount('memory-mb') },
    { id: 'vcores', title: 'Vcores given away', gives: 'soon', cell: amount('vcores') },
    {
      id: 'kind',
      title: 'Who else may use it',
      gives: 'soon',
      cell: ({ name, isExclusive }) =>
        name === '' ? <span className="quiet">–</span> : isExclusive ? 'nobody: it is exclusive' : 'work without a label, while it is idle',
    },
    {
      id: 'queues',
      title: 'Shares of queues',
      gives: 'late',
      cell: ({ name }) =>
        tree
          ? queuesOf(tree.root)
              .filter((queue) => queue.isLeaf)
              .map((queue) => ({
                queue,
                share: shareOf(shareIn(queue, name)?.guaranteed['memory-mb'] ?? 0, shareIn(tree.root, name)?.guaranteed['memory-mb'] ?? 0),
              }))
              .filter(({ share }) => share > 0)
              .slice(0, 6)
              .map(({ queue, share }) => (
                <span key={queue.path} className="tag">
                  <Link to={`/queues/${encodeURIComponent(queue.path)}`}>{queue.name}</Link> {percent(share)}
                </span>
              ))
          : '…',
    },
    ...(onRemove
      ? [
          {
            id: 'remove',
            title: 'Change',
            gives: 'first' as const,
            cell: (label: Label) =>
              label.name === '' ? null : (
                <button type="button" className="small ghost" onClick={() => onRemove(label)} aria-label={`Remove ${label.name}`}>
                  Remove
                </button>
              ),
          },
        ]
      : []),
  ];
  return <Table label="Labels" columns={columns} rows={labels} rowKey={({ name }) => name} empty="There are none." />;
}

function Add({ onClose }: { readonly onClose: () => void }) {
  const client = useQueryClient();
  const run = async (form: FormData) => {
    const name = String(form.get('name')).trim();
    await change('POST', 'ws/v1/cluster/add-node-labels', { nodeLabelInfo: [{ name, exclusivity: form.get('exclusive') === 'on' }] });
    await client.invalidateQueries({ queryKey: ['nodes'] });
    return (
      <>
        The label <bdi>{name}</bdi> is there. Give it to nodes next, and queues a share of it.
      </>
    );
  };
  return (
    <Question title="Add a label" action="Add" run={run} onClose={onClose}>
      <label>
        Name
        <input name="name" required maxLength={255} pattern="[0-9a-zA-Z][0-9a-zA-Z_\-]*" />
        <span className="quiet">Letters, digits, _ and -.</span>
      </label>
      <label className="inline">
        <input type="checkbox" name="exclusive" defaultChecked /> Only for work that asks for it
      </label>
    </Question>
  );
}

function Remove({ label, onClose }: { readonly label: Label; readonly onClose: () => void }) {
  const client = useQueryClient();
  const run = async () => {
    await change('POST', `ws/v1/cluster/remove-node-labels?labels=${encodeURIComponent(label.name)}`);
    await client.invalidateQueries({ queryKey: ['nodes'] });
    return (
      <>
        The label <bdi>{label.name}</bdi> is gone.
      </>
    );
  };
  return (
    <Question
      title={
        <>
          Remove the label <bdi>{label.name}</bdi>?
        </>
      }
      action="Remove"
      isDangerous
      run={run}
      onClose={onClose}
    >
      <p>
        {label.nodes === 0 ? 'No node has it.' : `${counted(label.nodes, 'node')} will be without a label.`} What asks for it waits until it
        is there again. A label that queues have a share of cannot go.
      </p>
    </Question>
  );
}
