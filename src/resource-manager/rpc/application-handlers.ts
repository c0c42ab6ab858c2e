// Methods of ApplicationClientProtocol about applications, attempts and containers (ClientRMService).
import { failure } from '../../model/errors.ts';
import { applicationIdOfAttempt, applicationIdOfContainer, attemptIdOfContainer } from '../../model/ids.ts';
import type { RpcCaller } from '../../rpc/authentication.ts';
import { javaClasses, RpcException } from '../../rpc/exceptions.ts';
import { applicationIdMessage, applicationIdText, attemptIdText, containerIdText } from '../../wire/rpc/ids.ts';
import type { Application } from '../applications/application.ts';
import { isFinalState } from '../applications/application-states.ts';
import { findAttempt, mustView } from '../views/application-lookup.ts';
import { answerApplications } from './application-queries.ts';
import { applicationReport, attemptReport, containerReport } from './application-reports.ts';
import type { ClientHandlers, ClientNeeds } from './client-handlers.ts';
import { unknownApplication, yarn, yarnException } from './failures.ts';
import { reportTokens } from './report-tokens.ts';
import { readSubmission } from './submission.ts';
import { resourceMessage } from './values.ts';

type Names =
  | 'getNewApplication'
  | 'submitApplication'
  | 'getApplicationReport'
  | 'getApplications'
  | 'forceKillApplication'
  | 'failApplicationAttempt'
  | 'moveApplicationAcrossQueues'
  | 'updateApplicationPriority'
  | 'updateApplicationTimeouts'
  | 'getApplicationAttemptReport'
  | 'getApplicationAttempts'
  | 'getContainerReport'
  | 'getContainers'
  | 'signalToContainer';

/** Handlers of these methods. */
export const applicationHandlers = (needs: ClientNeeds): ClientHandlers<Names> => ({ ...changes(needs), ...views(needs) });

type Changes =
  | 'getNewApplication'
  | 'submitApplication'
  | 'forceKillApplication'
  | 'failApplicationAttempt'
  | 'moveApplicationAcrossQueues'
  | 'updateApplicationPriority'
  | 'updateApplicationTimeouts'
  | 'signalToContainer';

function changes({ parts, commands, known }: ClientNeeds): ClientHandlers<Changes> {
  const { cluster, types } = parts;
  return {
    getNewApplication: ({ caller }) => {
      known(caller);
      const { id, maximumResource } = commands.newApplication();
      return { application_id: applicationIdMessage(id), maximumCapability: resourceMessage(maximumResource, types) };
    },
    submitApplication: async ({ request: { application_submission_context: context }, caller }) => {
      if (!context?.application_id) throw new RpcException(javaClasses.IOException, 'The submission names no application id.');
      await commands.submit(known(caller), readSubmission(context));
      return {};
    },
    forceKillApplication: async ({ request, caller }) => {
      const id = applicationIdText(request.application_id);
      if (!cluster.findAny(id)) throw new RpcException(yarn('ApplicationNotFoundException'), `Trying to kill an absent application ${id}`);
      const { isDone } = await commands.kill(known(caller), id, request.diagnostics, caller.remoteAddress);
      return { is_kill_completed: isDone };
    },
    failApplicationAttempt: async ({ request, caller }) => {
      await commands.failAttempt(known(caller), attemptIdText(request.application_attempt_id));
      return {};
    },
    moveApplicationAcrossQueues: async ({ request, caller }) => {
      const id = applicationIdText(request.application_id);
      await commands.move(known(caller), id, request.target_queue, { unchanged: 'modifiers' });
      return {};
    },
    updateApplicationPriority: async ({ request, caller }) => {
      const id = applicationIdText(request.applicationId);
      const wanted = request.applicationPriority.priority ?? 0;
      return { applicationPriority: { priority: await commands.setPriority(known(caller), id, wanted, { unchanged: 'modifiers' }) } };
    },
    updateApplicationTimeouts: async ({ request, caller }) => {
      const id = applicationIdText(request.applicationId);
      const [wanted] = request.application_timeouts;
      if (!wanted) throw yarnException('At least one ApplicationTimeoutType should be configured for updating timeouts.');
      await commands.setLifetime(known(caller), id, { type: 'LIFETIME', expiry: wanted.expire_time });
      return { application_timeouts: request.application_timeouts };
    },
    signalToContainer: ({ request, caller }) => {
      commands.signal(known(caller), containerIdText(request.container_id), request.command);
      return {};
    },
  };
}

type Views = Exclude<Names, Changes>;

function views({ parts, known, applicationTokens }: ClientNeeds): ClientHandlers<Views> {
  const { cluster, access } = parts;
  /** An application whose attempts and containers the caller may see. */
  const viewable = (id: string, caller: RpcCaller): Application => {
    const application = cluster.findAny(id);
    if (!application) throw unknownApplication(id);
    mustView(access, application, caller.user);
    return application;
  };
  const attemptOf = (id: string, caller: RpcCaller, what: 'attempt' | 'application') => {
    if (!cluster.findAny(applicationIdOfAttempt(id))) throw unknownApplication(applicationIdOfAttempt(id));
    return findAttempt(parts, { application: applicationIdOfAttempt(id), attempt: id }, caller.user, what);
  };
  return {
    getApplicationReport: ({ request: { application_id: named }, caller }) => {
      if (!named) throw new RpcException(yarn('ApplicationNotFoundException'), 'Invalid application id: null');
      const id = applicationIdText(named);
      const application = cluster.findAny(id);
      if (!application) throw unknownApplication(id);
      const isVisible = access.mayView(application, caller.user);
      const tokens = reportTokens(applicationTokens, application, { user: caller.user && known(caller).user, isVisible });
      return { application_report: applicationReport(parts.views, application, isVisible, tokens) };
    },
    getApplications: async ({ request, caller, growsLong }) => ({
      applications: await answerApplications({ parts, applicationTokens }, request, known(caller).user, growsLong),
    }),
    getApplicationAttemptReport: ({ request, caller }) => {
      const { application, attempt } = attemptOf(attemptIdText(request.application_attempt_id), caller, 'attempt');
      return { application_attempt_report: attemptReport(parts.views, application, attempt) };
    },
    getApplicationAttempts: ({ request, caller }) => {
      const application = viewable(applicationIdText(request.application_id), caller);
      return { application_attempts: application.attempts.map((attempt) => attemptReport(parts.views, application, attempt)) };
    },
    getContainerReport: ({ request, caller }) => {
      const id = containerIdText(request.container_id);
      const application = viewable(applicationIdOfContainer(id), caller);
      const container = application.attempts.find((attempt) => attempt.id === attemptIdOfContainer(id))?.containers.get(id);
      if (!container) throw failure('CONTAINER_NOT_FOUND', { id });
      return { container_report: containerReport(parts.views, container, application.user) };
    },
    getContainers: ({ request, caller }) => {
      const { application, attempt } = attemptOf(attemptIdText(request.application_attempt_id), caller, 'application');
      if (isFinalState[application.state]) return { containers: [] };
      return { containers: [...attempt.containers.values()].map((one) => containerReport(parts.views, one, application.user)) };
    },
  };
}
