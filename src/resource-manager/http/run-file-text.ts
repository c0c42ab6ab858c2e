// The file that submits a run again.
import { stringify } from 'yaml';
import { commandMaster } from '../../wire/cluster/command-job.ts';
import type { SubmittedCommand, SubmittedContext, SubmittedFile } from '../../wire/cluster/submitted.ts';

const isStaged = ({ address }: SubmittedFile): boolean => address?.startsWith('staging:') === true;

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** What a file that was brought along is called beside the run file: an archive by its own name, which tells its kind. */
function localName({ name, address = '', archive }: SubmittedFile): string {
  const own = decoded(address.slice(address.lastIndexOf('/') + 1));
  return archive && own.startsWith(`${name}-`) ? own.slice(name.length + 1) : name;
}

/** A submitted run as `heddle run FILE.yaml` takes it, its members in the order in which people write them; what has to be put in again is said. */
export function runFileText(
  context: Omit<SubmittedContext, 'yaml'>,
  {
    command = [],
    instances,
    memoryMiB,
    vcores,
    resources,
    environment,
    files,
    secrets,
    retries,
    tags,
    constraint,
    opportunistic,
  }: SubmittedCommand,
): string {
  const { name, queue, priority, label, reservationId, lifetimeSeconds, master, hiddenVariables, notes } = context;
  const isFilled = (named: object) => Object.keys(named).length > 0;
  const ownMemory = master['memoryMiB'] ?? 0;
  const staged = files.filter(isStaged);
  const isScript = command.length === 3 && command[0] === 'bash' && command[1] === '-c' && command[2] !== '';
  const file = {
    name,
    ...(isScript ? { script: command[2] } : { command }),
    ...{ instances, memory: `${memoryMiB}m`, vcores },
    ...(isFilled(resources) && { resources }),
    ...(queue !== undefined && { queue }),
    ...(priority !== undefined && { priority }),
    ...(label !== undefined && { label }),
    ...(reservationId !== undefined && { reservation: reservationId }),
    ...(lifetimeSeconds !== undefined && { timeout: String(lifetimeSeconds) }),
    ...(files.length > 0 && {
      files: files.map((one) => {
        const from = isStaged(one) ? localName(one) : (one.address ?? '');
        return isStaged(one) && from === one.name && !one.archive ? from : `${from}#${one.name}${one.archive ? '/' : ''}`;
      }),
    }),
    ...(isFilled(environment) && { environment }),
    ...(hiddenVariables.length > 0 && { passEnvironment: hiddenVariables }),
    ...(secrets.length > 0 && { secrets: Object.fromEntries(secrets.map((secret) => [secret, `${secret}.secret`])) }),
    retries,
    ...(tags.length > 0 && { tags }),
    ...(constraint !== undefined && { constraints: [constraint] }),
    ...(ownMemory > 0 && ownMemory !== commandMaster.memoryMiBOf(instances) && { masterMemory: `${ownMemory}m` }),
    ...(opportunistic && { opportunistic }),
  };
  const said = [
    `What ${context.id} was submitted with; "heddle run FILE.yaml" takes it.`,
    ...(staged.length > 0 ? [`Put beside this file: ${staged.map(localName).join(', ')}.`] : []),
    ...(secrets.length > 0 ? ['Secrets are not shown: each is read from the file that is named here.'] : []),
    ...(hiddenVariables.length > 0 ? ['Variables of passEnvironment are taken from your environment.'] : []),
    ...(context.tags.length > 0 ? [`Tags of the application are no part of it: ${context.tags.join(', ')}.`] : []),
    ...notes,
  ];
  // A name may hold any character: none ends the line of its comment.
  return `${said.map((line) => `# ${line.replace(/[\p{Cc}\u2028\u2029]/gu, ' ')}\n`).join('')}${stringify(file, { lineWidth: 0 })}`;
}
