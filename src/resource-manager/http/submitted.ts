// What an application was submitted with. Who may only view it sees neither commands nor the values of variables: passwords stand there, although
// they should not. Secrets and credentials nobody sees.
import { changeRefusal } from '../../auth/bearer/restriction.ts';
import type { Call } from '../../http/service.ts';
import type { SubmittedCommand, SubmittedContext, SubmittedWork } from '../../wire/cluster/submitted.ts';
import type { Application } from '../applications/application.ts';
import { submittedWorkOf } from '../store/submitted-work.ts';
import { findViewable } from '../views/application-lookup.ts';
import type { Parts } from '../views/parts.ts';
import { amounts } from './amounts-by-name.ts';

/** What of the parts this works with. */
type SubmittedParts = Pick<Parts, 'store' | 'types' | 'access' | 'cluster' | 'hasStaged'>;

/** `GET /api/v1/applications/{id}/submission`. @throws Failure ID_MALFORMED, APPLICATION_NOT_FOUND, APPLICATION_VIEW_REFUSED */
export async function answerSubmitted(parts: SubmittedParts, { params, user, caller }: Call): Promise<SubmittedContext> {
  const application = findViewable(parts, params['appid'] ?? '', user);
  // A token that may not change it shows no more than what others see.
  const mayChange = caller.restriction?.scope !== 'read' && changeRefusal(caller, application) === undefined;
  const bare = submittedOf(parts, application, user !== undefined && mayChange && parts.access.mayModify(application, user));
  const submitted = await withKeptFiles(parts, bare);
  if (submitted.run?.command === undefined) return submitted;
  // The writer of YAML is loaded when it is needed.
  const { runFileText } = await import('./run-file-text.ts');
  return { ...submitted, yaml: runFileText(submitted, submitted.run) };
}

/** With what is still there of the files that were left here for it. */
async function withKeptFiles({ hasStaged }: SubmittedParts, submitted: SubmittedContext): Promise<SubmittedContext> {
  const { run, user } = submitted;
  if (!run) return submitted;
  const files = await Promise.all(
    run.files.map(async (file) => {
      const kept = await hasStaged(user, file.address ?? '');
      return kept === undefined ? file : { ...file, kept };
    }),
  );
  return { ...submitted, run: { ...run, files } };
}

/** For those who may only view it. */
function withoutContents(work: SubmittedWork): SubmittedWork {
  const { run, launch, hiddenVariables } = work;
  const names = [...hiddenVariables, ...Object.keys((run ?? launch)?.environment ?? {})];
  const bare = <Part extends { readonly files: SubmittedCommand['files'] }>(part: Part): Part => ({
    ...part,
    environment: {},
    files: part.files.map(({ address: _address, ...file }) => file),
  });
  if (run) {
    const { command: _command, ...rest } = bare(run);
    return { ...work, run: rest, hiddenVariables: names };
  }
  if (!launch) return work;
  const { commands: _commands, ...rest } = bare(launch);
  return { ...work, launch: rest, hiddenVariables: names };
}

/** What an application was submitted with; `full`: for callers who may change it, and so see commands and variables. */
function submittedOf({ store, types }: SubmittedParts, application: Application, full: boolean): SubmittedContext {
  const { id, user, submission, submittedMs } = application;
  const { name, type, queue, priority, tags, lifetimeSeconds, resource, masterPlaces, viewAcl, modifyAcl, reservationId } = submission;
  const known = submittedWorkOf(submission) ?? store.finishedWork(id);
  const work: SubmittedWork | undefined = known && (full ? known : withoutContents(known));
  const { applicationLabelExpression: label, masterLabelExpression: masterLabel, maximumAttempts } = submission;
  return {
    ...{ id, name, user, type, submittedTime: Math.max(0, submittedMs) },
    ...(queue ? { queue } : {}),
    ...(priority < 0 ? {} : { priority }),
    tags,
    ...(label ? { label } : {}),
    ...(reservationId === undefined ? {} : { reservationId }),
    ...(lifetimeSeconds === undefined || lifetimeSeconds < 0 ? {} : { lifetimeSeconds }),
    master: amounts(resource, types),
    ...(masterLabel ? { masterLabel } : {}),
    ...(masterPlaces === undefined ? {} : { masterPlaces: [...masterPlaces.nodes, ...masterPlaces.racks] }),
    ...(maximumAttempts > 0 ? { maximumAttempts } : {}),
    keepContainers: submission.keepContainers,
    unmanaged: submission.unmanaged,
    ...(viewAcl?.trim() ? { viewers: viewAcl.trim() } : {}),
    ...(modifyAcl?.trim() ? { modifiers: modifyAcl.trim() } : {}),
    ...(work?.run && { run: work.run }),
    ...(work?.launch && { launch: work.launch }),
    hiddenVariables: work?.hiddenVariables ?? [],
    notes: notesOf(work, full, submission.unmanaged),
  };
}

function notesOf(work: SubmittedWork | undefined, full: boolean, unmanaged: boolean): string[] {
  if (work === undefined)
    return unmanaged
      ? []
      : ['What it ran is not kept: it ended before the cluster kept that, or it was longer than what is kept of an ended application.'];
  const { hiddenVariables } = work;
  if (!full) return ['Commands, addresses and the values of variables are hidden: who may change the application sees them.'];
  return [
    ...(hiddenVariables.length > 0
      ? [`The values of ${hiddenVariables.join(', ')} are hidden from everybody: their names are those of secrets.`]
      : []),
    ...(work.withoutPasswords ? ['Passwords in its texts and addresses are hidden from everybody.'] : []),
  ];
}
