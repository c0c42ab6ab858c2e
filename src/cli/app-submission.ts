// `heddle app show --submission`: what an application was submitted with.
import type { SubmittedContext } from '../wire/cluster/submitted.ts';
import { connect, talk } from './connection.ts';
import type { ClusterFlags } from './options.ts';
import { formatDuration, formatMemory, formatTime, printFacts, printJson, printText } from './output.ts';

/** Prints it: of a run the file that `heddle run` takes, of another application the facts. @throws CommandFailure */
export async function showSubmission(id: string, flags: ClusterFlags): Promise<void> {
  const submitted = await talk(() => connect(flags).cluster.submission(id));
  if (flags.json) return printJson(submitted);
  if (submitted.yaml !== undefined) return printText(submitted.yaml);
  printFacts(factsOf(submitted));
  printText(submitted.notes.map((note) => `${note}\n`).join(''));
}

const listed = (texts: readonly string[] = []): string | undefined => (texts.length === 0 ? undefined : texts.join(', '));

function factsOf({
  id,
  name,
  type,
  user,
  queue,
  priority,
  tags,
  label,
  reservationId,
  lifetimeSeconds,
  master,
  ...more
}: SubmittedContext) {
  const { memoryMiB, ...others } = master;
  const { run, launch, hiddenVariables } = more;
  const { environment = {}, files = [], secrets = [] } = run ?? launch ?? {};
  const sizes = [formatMemory(memoryMiB), ...Object.entries(others).map(([resource, amount]) => `${amount} ${resource}`)];
  return [
    ...([
      ['application', id],
      ['name', name],
      ['type', type],
      ['user', user],
      ['submitted', formatTime(more.submittedTime)],
    ] as const),
    ['queue asked for', queue] as const,
    ['priority asked for', priority] as const,
    ['tags', listed(tags)] as const,
    ['label', label] as const,
    ['reservation', reservationId] as const,
    ['lives at most', lifetimeSeconds === undefined ? undefined : formatDuration(lifetimeSeconds * 1000)] as const,
    ['master', sizes.filter((size) => size !== undefined).join(', ')] as const,
    ['viewers', more.viewers] as const,
    ['modifiers', more.modifiers] as const,
    ['instances', run?.instances] as const,
    ...(launch?.commands ?? []).map((command) => ['command', command] as const),
    ...Object.entries(environment).map(([variable, value]) => [`variable ${variable}`, value] as const),
    ...hiddenVariables.map((variable) => [`variable ${variable}`, 'hidden'] as const),
    ...files.map((file) => [`file ${file.name}`, file.address ?? 'hidden'] as const),
    ['secrets', listed(secrets)] as const,
    ['services', listed(launch?.services)] as const,
  ] as const;
}
