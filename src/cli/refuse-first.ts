// What the cluster would refuse is refused before anything is brought or read for it, with what there is instead.
import type { ClusterClient } from '../client/cluster-client.ts';
import { NodeLabels } from '../client/node-labels.ts';
import { RemoteFailure } from '../client/remote-failure.ts';
import type { PlainSubmission, SubmissionContext } from '../wire/cluster/submission.ts';
import type { TriedSubmission } from '../wire/cluster/tried-submission.ts';
import { type Connection, remedyByWords, talkAtFirst } from './connection.ts';
import { CommandFailure } from './failure.ts';
import { queuesBelow, takesWork } from './queues-below.ts';

/** Statuses of a cluster that does not say it: one of an earlier release, and one that has too much to do. */
const unsaidStatuses: ReadonlySet<number> = new Set([429, 503]);
const isUnknown = ({ status, message }: RemoteFailure): boolean => status === 400 && /\bdryRun must be\b/.test(message);

/** Asks whether the cluster would take the submission. @throws CommandFailure where it would not, and as `talkAtFirst` */
export async function refuseFirst(connection: Connection, context: SubmissionContext | PlainSubmission): Promise<void> {
  const { cluster } = connection;
  const tried = await talkAtFirst(connection, () =>
    cluster.trySubmission(context, 'admission').catch(async (error: unknown) => {
      if (!(error instanceof RemoteFailure)) throw error;
      if (unsaidStatuses.has(error.status) || isUnknown(error)) return undefined;
      const there = await whatThereIs(cluster, error.message);
      if (there === undefined) throw error;
      throw new CommandFailure(error.message, there);
    }),
  );
  const refusal = tried && refusalOf(tried);
  if (refusal !== undefined) throw new CommandFailure(refusal, (await whatThereIs(cluster, refusal)) ?? remedyByWords(refusal));
}

/** Why a submission that was tried would come to nothing; undefined: it would not. */
export const refusalOf = ({ accepted, sentence, containers }: TriedSubmission): string | undefined =>
  accepted && containers.every(({ refused }) => refused === undefined) ? undefined : sentence.replace(/\b(?:[a-z]+\.)+\w*Exception: /, '');

const mostNamed = 12;
const listed = (names: readonly string[]): string =>
  names.length > mostNamed ? `${names.slice(0, mostNamed).join(', ')} and ${names.length - mostNamed} more` : names.join(', ');

const ofQueues =
  /\bqueue ?: \S+ (?:doesn't exist|is not a Leaf Queue)|^Unknown queue|\b(?:unknown|non-leaf) queue\b|is not a leaf queue|no queue |^It would be over at once, as FAILED: Queue \S+ is STOPPED/i;
const ofLabels = /\blabels?\b/i;
const areOff = /node label not enabled|labels? (?:is|are) not enabled|Node-label-based scheduling is disabled/i;

/** The names that a refusal is about, as far as the caller may see them; undefined: it is about none. */
export async function whatThereIs(cluster: ClusterClient, refusal: string): Promise<string | undefined> {
  try {
    if (ofQueues.test(refusal)) return `Queues that take work: ${listed(await leafQueues(cluster))}. "heddle queue list" shows them all.`;
    if (areOff.test(refusal) || !ofLabels.test(refusal)) return undefined;
    const labels = (await new NodeLabels(cluster.http).list()).map(({ name }) => name).filter((name) => name !== '');
    if (labels.length === 0) return 'The cluster has no labels: "heddle label add" adds one.';
    return `Labels there are: ${listed(labels)}. A queue uses one of which it has a share: "heddle queue show QUEUE" says which.`;
  } catch {
    // The refusal stands without it.
    return undefined;
  }
}

async function leafQueues(cluster: ClusterClient): Promise<string[]> {
  const all = queuesBelow((await cluster.scheduler()).queues);
  return all.filter(({ queue }) => takesWork(queue)).map(({ path }) => path);
}
