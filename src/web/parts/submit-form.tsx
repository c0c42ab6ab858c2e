// The fields of a submission, empty or with what another application was submitted with.
import { type ReactNode, useState } from 'react';
import { bytes } from '../format/amounts.ts';
import { type FormStart, furtherFields } from '../format/submission.ts';
import { SecretFields } from './secret-fields.tsx';
import type { KeptFile } from './submission-body.ts';
import type { HiddenParts } from './submission-patch.ts';

/** A file of the submission that is begun with, as far as it can be taken along. */
export interface OfferedFile {
  readonly name: string;
  readonly archive: boolean;
  /** What it holds, or why it cannot be taken along. */
  readonly content: KeptFile['content'] | NotTaken;
  readonly bytes: number | undefined;
}

/** Why a file cannot be taken along. */
export type NotTaken = keyof typeof whyNotTaken;

/** What is said of it. */
export const whyNotTaken = {
  gone: 'is not here any more: small ones stay for a while after the end of their application, as long as there is room for them',
  long: 'is too long to be taken along with the others: a submission brings 7 MB',
  other: 'is for the user who left it alone',
} as const;

/** What the fields are given; `files` and `onFiles`: those that are taken along, and those that stay. */
export interface SubmitFieldsProps {
  readonly start: FormStart | undefined;
  readonly offered: readonly OfferedFile[];
  readonly onFiles: (files: readonly OfferedFile[]) => void;
  readonly variables: Readonly<Record<string, string>>;
  readonly onVariables: (variables: Readonly<Record<string, string>>) => void;
  /** What stays as it is though nobody shows it, by name, and what is left of it. */
  readonly hidden?: HiddenParts;
  readonly onHidden?: (hidden: HiddenParts) => void;
}

const nothing: HiddenParts = { variables: [], secrets: [] };

export function SubmitFields({ start, offered, onFiles, variables, onVariables, hidden = nothing, onHidden }: SubmitFieldsProps) {
  const { texts = {}, hiddenVariables = [], secrets = [], opportunistic = false } = start ?? {};
  const number = (name: keyof typeof texts, usual: string) => ({ name, type: 'number', step: 1, defaultValue: texts[name] ?? usual });
  const hide = (kind: keyof HiddenParts, name: string) => onHidden?.({ ...hidden, [kind]: hidden[kind].filter((each) => each !== name) });
  const [isFurther, setFurther] = useState(opportunistic || furtherFields.some((name) => (texts[name] ?? '') !== ''));
  return (
    <>
      <label>
        Command
        <textarea
          name="command"
          required
          maxLength={100_000}
          placeholder="python3 train.py --epochs 10"
          spellCheck={false}
          defaultValue={texts.command}
        />
        <span>A line for sh. It finds its number in HEDDLE_INSTANCE, their count in HEDDLE_INSTANCES.</span>
      </label>
      <div className="row">
        <label>
          Instances <input {...number('instances', '1')} min={1} max={10_000} required />
        </label>
        <label>
          Memory of each, MiB <input {...number('memory', '1024')} min={1} required />
        </label>
        <label>
          Vcores of each <input {...number('vcores', '1')} min={1} required />
        </label>
        <label>
          Tries again{' '}
          <input
            name="retries"
            required
            pattern="\d{1,4}|unlimited"
            title="A number up to 1000, or unlimited"
            autoComplete="off"
            defaultValue={texts.retries ?? '2'}
          />
        </label>
      </div>
      <div className="row">
        <label>
          Name <input name="name" maxLength={1000} placeholder="the command" defaultValue={texts.name} />
        </label>
        <label>
          Queue <input name="queue" maxLength={500} placeholder="by the mapping rules" defaultValue={texts.queue} />
        </label>
        <label>
          Tags <input name="tags" maxLength={2000} placeholder="a, b" defaultValue={texts.tags} />
        </label>
      </div>
      <div className="row">
        <label>
          Priority <input {...number('priority', '')} min={0} placeholder="0" />
        </label>
        <label>
          Lives at most <input name="lifetime" maxLength={20} placeholder="no limit; 2 h" defaultValue={texts.lifetime} />
        </label>
      </div>
      <label>
        Environment
        <textarea name="environment" placeholder="NAME=value" maxLength={100_000} spellCheck={false} defaultValue={texts.environment} />
        <span>A variable a line. Secrets do not belong here: who may change the application sees them.</span>
      </label>
      <Kept legend="Variables of several lines" names={Object.keys(variables)} onRemove={(name) => onVariables(without(variables, name))} />
      <Kept
        legend="Variables whose values are hidden"
        names={hidden.variables}
        about={() => 'stays as it is'}
        onRemove={(name) => hide('variables', name)}
      />
      {hiddenVariables.length > 0 && <SecretFields kind="variable" names={hiddenVariables} />}
      <Kept
        legend="Files that it has"
        names={offered.map(({ name }) => name)}
        onRemove={(name) => onFiles(offered.filter((file) => file.name !== name))}
        about={(name) => <FileFate file={offered.find((file) => file.name === name)!} />}
      />
      <label>
        Files <input name="files" type="file" multiple />
        <span>They lie in the working directory of each container, under their names: up to 7 MB together.</span>
      </label>
      <Kept legend="Secrets that it has" names={hidden.secrets} about={() => 'stays as it is'} onRemove={(name) => hide('secrets', name)} />
      <SecretFields names={secrets} />
      <details open={isFurther} onToggle={({ currentTarget }) => setFurther(currentTarget.open)}>
        <summary>Further: where it may run, other resources, its master</summary>
        <div className="row">
          <label>
            Node label <input name="label" maxLength={500} placeholder="none" defaultValue={texts.label} />
          </label>
          <label>
            Reservation <input name="reservation" maxLength={200} placeholder="none" defaultValue={texts.reservation} />
          </label>
          <label>
            Memory of its master, MiB <input {...number('masterMemory', '')} min={1} placeholder="by its size" />
          </label>
        </div>
        <div className="row">
          <label>
            Tags of its containers <input name="containerTags" maxLength={2000} placeholder="run" defaultValue={texts.containerTags} />
          </label>
          <label>
            Where they may stand{' '}
            <input name="constraint" maxLength={10_000} placeholder="notin,node,run" spellCheck={false} defaultValue={texts.constraint} />
          </label>
        </div>
        <label>
          Other resources of each
          <textarea name="resources" placeholder="yarn.io/gpu=1" maxLength={10_000} spellCheck={false} defaultValue={texts.resources} />
        </label>
        <label className="inline">
          <input name="opportunistic" type="checkbox" defaultChecked={opportunistic} /> It runs in what others leave free, and ends when
          they need it
        </label>
      </details>
    </>
  );
}

const without = (named: Readonly<Record<string, string>>, name: string): Record<string, string> =>
  Object.fromEntries(Object.entries(named).filter(([each]) => each !== name));

const FileFate = ({ file: { content, bytes: size } }: { readonly file: OfferedFile }) =>
  typeof content === 'string' ? (
    <b>{whyNotTaken[content]}. Choose it again below, or remove it.</b>
  ) : 'uri' in content ? (
    <>from {content.uri}</>
  ) : (
    <>
      {'stays' in content ? 'stays as it is' : 'taken along'}
      {size === undefined ? '' : `, ${bytes(size)}`}
    </>
  );

/** What is taken along as it was. */
function Kept({
  legend,
  names,
  onRemove,
  about = () => 'taken along',
}: {
  readonly legend: string;
  readonly names: readonly string[];
  readonly onRemove: (name: string) => void;
  readonly about?: (name: string) => ReactNode;
}) {
  if (names.length === 0) return null;
  return (
    <fieldset className="secrets">
      <legend>{legend}</legend>
      {names.map((name) => (
        <div className="inline" key={name}>
          <code>{name}</code> <span className="quiet">{about(name)}</span>
          <button type="button" className="small" onClick={() => onRemove(name)} aria-label={`Remove ${name}`}>
            Remove
          </button>
        </div>
      ))}
    </fieldset>
  );
}
