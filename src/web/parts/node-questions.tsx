// What an administrator changes of a node, each with its question.
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { change } from '../api/http.ts';
import { labelsQuery } from '../api/nodes.ts';
import { counted } from '../format/amounts.ts';
import type { ClusterNode } from '../format/nodes.ts';
import { readSeconds } from '../format/times.ts';
import { Question } from './dialog.tsx';

/** What can be changed. */
export type NodeChange = 'drain' | 'decommission' | 'resume' | 'resize' | 'labels';

interface Props {
  readonly node: ClusterNode;
  readonly onClose: () => void;
  readonly onDone: () => void;
}

/** The question of a change. */
export function NodeQuestion({ change: which, ...props }: Props & { readonly change: NodeChange }) {
  const Asked = { drain: Drain, decommission: Decommission, resume: Resume, resize: Resize, labels: Labels }[which];
  return <Asked {...props} />;
}

const own = (node: ClusterNode, what: string) => `api/v1/nodes/${encodeURIComponent(node.id)}/${what}`;
const hadoops = (node: ClusterNode, what: string) => `ws/v1/cluster/nodes/${encodeURIComponent(node.id)}/${what}`;

/** What became of a node; its id may turn what follows. */
const named = ({ id }: ClusterNode, what: ReactNode): ReactNode => (
  <>
    <bdi>{id}</bdi> {what}
  </>
);

function Drain({ node, onClose, onDone }: Props) {
  const run = async (form: FormData) => {
    const text = String(form.get('within') ?? '').trim();
    const seconds = text === '' ? -1 : readSeconds(text);
    if (seconds === undefined) throw new Error('Write a time as 90 s, 5 min or 2 h, or nothing for as long as it takes.');
    await change('POST', own(node, 'drain'), { gracefulSeconds: seconds });
    onDone();
    return named(node, 'finishes its work and leaves.');
  };
  return (
    <Question
      title={
        <>
          Drain <bdi>{node.id}</bdi>?
        </>
      }
      action="Drain"
      run={run}
      onClose={onClose}
    >
      <p>
        It is given nothing new. {counted(node.numContainers, 'container')} may finish, with the applications that have them; the node
        leaves then, and stays away until it is put back to work.
      </p>
      <label>
        Within
        <input name="within" placeholder="as long as it takes" maxLength={20} />
        <span className="quiet">For example 30 min. What runs after that is killed.</span>
      </label>
    </Question>
  );
}

function Decommission({ node, onClose, onDone }: Props) {
  const run = async () => {
    await change('POST', own(node, 'drain'), { gracefulSeconds: 0 });
    onDone();
    return named(node, 'left the cluster.');
  };
  return (
    <Question
      title={
        <>
          Decommission <bdi>{node.id}</bdi> at once?
        </>
      }
      action="Decommission"
      isDangerous
      run={run}
      onClose={onClose}
    >
      <p>
        {node.numContainers === 0
          ? 'Nothing runs there.'
          : `${counted(node.numContainers, 'container')} there ${node.numContainers === 1 ? 'is' : 'are'} killed; applications ask for others elsewhere.`}{' '}
        The node stays away until it is put back to work.
      </p>
    </Question>
  );
}

function Resume({ node, onClose, onDone }: Props) {
  const run = async () => {
    await change('POST', own(node, 'resume'), {});
    onDone();
    return named(node, 'is back, or comes back with its next contact.');
  };
  return (
    <Question
      title={
        <>
          Put <bdi>{node.id}</bdi> back to work?
        </>
      }
      action="Put back to work"
      run={run}
      onClose={onClose}
    >
      <p>It is given containers again. One that has left already joins with its next contact.</p>
    </Question>
  );
}

function Resize({ node, onClose, onDone }: Props) {
  const run = async (form: FormData) => {
    const [memory, vCores] = ['memory', 'vcores'].map((name) => Number(form.get(name)));
    await change('POST', hadoops(node, 'resource'), {
      resource: { memory, vCores },
      overCommitTimeout: form.get('preempt') === 'on' ? 0 : -1,
    });
    onDone();
    return named(node, 'offers another size now.');
  };
  return (
    <Question
      title={
        <>
          What <bdi>{node.id}</bdi> offers
        </>
      }
      action="Change"
      run={run}
      onClose={onClose}
    >
      <p>Until the node registers again, or for good where dynamic-resources.xml says so.</p>
      <label>
        Memory, MiB
        <input name="memory" type="number" min={0} max={1_000_000_000} required defaultValue={node.total['memory-mb']} />
      </label>
      <label>
        Vcores
        <input name="vcores" type="number" min={0} max={1_000_000} required defaultValue={node.total['vcores']} />
      </label>
      <label className="inline">
        <input type="checkbox" name="preempt" /> Take back at once what no longer fits
      </label>
    </Question>
  );
}

function Labels({ node, onClose, onDone }: Props) {
  const { data: labels = [] } = useQuery(labelsQuery);
  const run = async (form: FormData) => {
    const label = String(form.get('label') ?? '');
    await change('POST', `${hadoops(node, 'replace-labels')}?labels=${encodeURIComponent(label)}`);
    onDone();
    return named(
      node,
      label === '' ? (
        'has no label now.'
      ) : (
        <>
          belongs to <bdi>{label}</bdi> now.
        </>
      ),
    );
  };
  return (
    <Question
      title={
        <>
          Label of <bdi>{node.id}</bdi>
        </>
      }
      action="Change"
      run={run}
      onClose={onClose}
    >
      <p>
        A node belongs to one partition. Containers that run there and belong to another are killed where the scheduler cannot keep them.
      </p>
      <label>
        Label
        <select name="label" defaultValue={node.label} key={labels.length}>
          {[{ name: '' }, ...labels.filter(({ name }) => name !== '')].map(({ name }) => (
            <option key={name} value={name}>
              {name === '' ? 'none' : name}
            </option>
          ))}
        </select>
      </label>
    </Question>
  );
}
