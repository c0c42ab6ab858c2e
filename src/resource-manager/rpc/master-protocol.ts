// ApplicationMasterProtocol: masters of Hadoop register, ask and finish (ApplicationMasterService). Decode, call a command, encode; a master is known by
// its token alone, since no message names its attempt.

import type { ApplicationTokens } from '../../auth/application-tokens/open-tokens.ts';
import type { AuditLog } from '../../auth/audit-log.ts';
import { zeros } from '../../model/resource.ts';
import type { RpcCaller } from '../../rpc/authentication.ts';
import { RpcException } from '../../rpc/exceptions.ts';
import { type Handlers, type RpcProtocol, serveProtocol } from '../../rpc/protocol.ts';
import type { Decoded, Encodable } from '../../wire/rpc/message.ts';
import { applicationMasterProtocol } from '../../wire/rpc/protocols/application-master.ts';
import type { AllocateRequestProto, AllocateResponseProto } from '../../wire/rpc/tables/master-service.ts';
import type { AllocateAnswer } from '../commands/allocate.ts';
import { type CallingMaster, expectedMaster, standingOf } from '../commands/calling-master.ts';
import type { Commands } from '../commands/commands.ts';
import { failureTranslator, yarn } from './failures.ts';
import { type AnswerParts, allocationMessage, registrationMessage } from './master-answers.ts';
import { anywhere } from './master-asks.ts';
import { readAsk, readCall, readRegistration, readSchedulingRequest } from './master-requests.ts';
import { type MasterState, MasterStates, updateKey } from './master-states.ts';
import { NodeNews } from './node-news.ts';
import type { NodeReportParts } from './node-reports.ts';
import { checkScheduling } from './scheduling-requests.ts';
import { resourceMessage, responseNumber } from './values.ts';

/** What the protocol works with. */
export interface MasterNeeds {
  readonly parts: NodeReportParts;
  readonly commands: Pick<Commands, 'register' | 'allocate' | 'finish'>;
  readonly tokens: ApplicationTokens;
  readonly audit: Pick<AuditLog, 'refusedRequest'>;
  readonly collectorAddress?: AnswerParts['collectorAddress'];
}

/** Names of places and changes of containers that the door keeps of one master at most. */
const mostKept = 200_000;
/** No call waits for so long that its master might hang up. */
const { signal: noSignal } = new AbortController();

/** The protocol of masters. */
export function masterProtocol({ parts, commands, tokens, audit, collectorAddress }: MasterNeeds): RpcProtocol {
  const { cluster } = parts;
  const states = new MasterStates(cluster.view);
  const news = new NodeNews(cluster.view);
  cluster.observe(states);
  cluster.observe(news);
  const answers: AnswerParts = { parts, tokens, news, collectorAddress };
  const identityOf = ({ token }: RpcCaller) => (token ? tokens.masters.read(token) : undefined);
  const masterOf = (caller: RpcCaller): CallingMaster => {
    const attemptId = identityOf(caller)?.attemptId ?? '';
    const master = expectedMaster(cluster, attemptId);
    if (!master) throw attemptUnknown(attemptId);
    return master;
  };
  /**
   * Passes a master whose last words were taken while its container runs: it may go on saying that it is there (RMAppAttemptState.FINISHING).
   * Not before it is durable that the application ends: a restart would expect the master again.
   */
  const mustBeLeaving = async ({ application, attempt }: CallingMaster): Promise<void> => {
    await cluster.view.ending(application.id);
    if (attempt.state !== 'FINISHING') throw attemptUnknown(attempt.id);
  };
  const handlers: Handlers<typeof applicationMasterProtocol> = {
    registerApplicationMaster: async ({ request, caller }) => {
      const master = masterOf(caller);
      const { application, attempt } = master;
      const isOver = standingOf(master) === 'over';
      if (isOver) await mustBeLeaving(master);
      if (isOver || (cluster.masterSession(attempt.id) && states.get(attempt.id)))
        throw invalidRequest(`Application Master is already registered : ${application.id}`);
      const registering = commands.register(master, readRegistration(request));
      const state = states.begin(attempt.id, { newsSeen: news.latest, masterKeyId: identityOf(caller)?.keyId ?? 0 });
      return registrationMessage(answers, master, state, await registering);
    },
    allocate: async ({ request, caller }) => {
      const master = masterOf(caller);
      const { attempt } = master;
      const standing = standingOf(master);
      if (standing === 'unregistered') throw notRegistered(master);
      const said = request.response_id ?? 0;
      if (standing === 'over') {
        await mustBeLeaving(master);
        return nothingMore(answers, said);
      }
      const session = cluster.masterSession(attempt.id);
      const state = states.get(attempt.id);
      if (!session || !state) {
        // After a restart its number says what it has heard before.
        if (!session) await commands.allocate(master, { responseId: said }, 0, noSignal);
        throw notRegistered(master);
      }
      const { lastResponse } = session;
      const expected = responseNumber(attempt.responseId);
      const before = lastResponse && lastResponse.responseId - 1;
      const isAgain = before !== undefined && said === responseNumber(before);
      if (!isAgain && said !== expected)
        throw invalidRequest(
          `Invalid responseId in AllocateRequest from application attempt: ${attempt.id} expect responseId to be ${expected} but get ${said}`,
        );
      const answering = isAgain
        ? commands.allocate(master, { responseId: before }, 0, noSignal)
        : takeCall({ commands, parts }, master, state, request);
      return sentAnswer(answers, master, state, await answering);
    },
    finishApplicationMaster: async ({ request, caller }) => {
      const master = masterOf(caller);
      if (standingOf(master) === 'unregistered')
        throw masterNotRegistered(`Application Master is trying to unregister before registering for: ${master.application.id}`);
      const status = request.final_application_status ?? 'APP_UNDEFINED';
      await commands.finish(master, {
        finalStatus: finalStatuses[status],
        diagnostics: request.diagnostics ?? '',
        trackingUrl: request.tracking_url,
      });
      return { isUnregistered: true };
    },
  };
  return serveProtocol(applicationMasterProtocol, handlers, failureTranslator('ApplicationMasterProtocol', audit));
}

const finalStatuses = {
  APP_UNDEFINED: 'UNDEFINED',
  APP_SUCCEEDED: 'SUCCEEDED',
  APP_FAILED: 'FAILED',
  APP_KILLED: 'KILLED',
  APP_ENDED: 'ENDED',
} as const;

type AllocateMessage = Decoded<typeof AllocateRequestProto>;
type AnswerMessage = Encodable<typeof AllocateResponseProto>;

/**
 * Takes a call of a registered master whose number is the next; the answer tells what it is given for what it asks, where that is there at once.
 * @throws what is refused, before anything is kept
 */
function takeCall(
  { commands, parts }: Pick<MasterNeeds, 'commands' | 'parts'>,
  master: CallingMaster,
  state: MasterState,
  request: AllocateMessage,
): Promise<AllocateAnswer> {
  const { application, attempt } = master;
  const call = readCall(request);
  const scheduling = request.scheduling_requests.map((message) => ({ message, ...readSchedulingRequest(message) }));
  const resourceAsks = request.ask.map(readAsk);
  const asks = [...resourceAsks, ...scheduling.map(({ ask }) => ask)];
  if (state.asks.size + asks.length + state.scheduling.size + state.updates.size + call.updates.length > mostKept)
    throw new RpcException(yarn('InvalidResourceRequestException'), `A master may ask for ${mostKept} things at most.`);
  const { placementConstraints, placementTries } = parts.cluster.settings;
  if (placementConstraints && placementTries === undefined) checkScheduling(application.id, resourceAsks, scheduling, state.scheduling);
  const plan = state.asks.plan(asks);
  const bindings = new Map(scheduling.map(({ ask, binding }) => [ask.askId, binding]));
  const requests = plan.requests.map((asked) => ({ ...asked, ...bindings.get(asked.askId) }));
  const asked = {
    ...call,
    responseId: attempt.responseId,
    requests,
    cancels: plan.cancels,
    sizes: 'present',
    foreignReleases: 'refused',
    labelledPlace: asks.find(({ place, labelExpression }) => place !== anywhere && labelExpression)?.place,
  } as const;
  const answering = commands.allocate(master, asked, 'considered', noSignal);
  plan.keep();
  for (const { ask, binding, message } of scheduling) state.scheduling.set(ask.askId, { message, binding });
  for (const askId of plan.cancels) state.scheduling.delete(askId);
  for (const [index, { containerId, updateType }] of call.updates.entries())
    state.updates.set(updateKey(containerId, updateType), request.update_requests[index]!);
  return answering;
}

/** An answer as it is sent: the same answer again is the same bytes. */
function sentAnswer(answers: AnswerParts, master: CallingMaster, state: MasterState, answer: AllocateAnswer): AnswerMessage {
  if (answer.command === 'resync') throw notRegistered(master);
  if (answer.command === 'shutdown') throw attemptUnknown(master.attempt.id);
  let sent = state.sent.get(answer);
  if (!sent) {
    sent = allocationMessage(answers, master, state, answer);
    state.sent.set(answer, sent);
  }
  return sent;
}

/** The answer to a master that leaves: it is heard, and given nothing. */
const nothingMore = ({ parts: { types }, news }: AnswerParts, said: number): AnswerMessage => ({
  response_id: responseNumber(said + 1),
  limit: resourceMessage(zeros(types.count), types),
  num_cluster_nodes: news.nodeCount,
});

const invalidRequest = (message: string) => new RpcException(yarn('InvalidApplicationMasterRequestException'), message);
const masterNotRegistered = (message: string) => new RpcException(yarn('ApplicationMasterNotRegisteredException'), message);
/** The master registers (again) then. */
const notRegistered = ({ attempt }: CallingMaster) =>
  masterNotRegistered(
    `AM is not registered for known application attempt: ${attempt.id} or RM had restarted after AM registered. AM should re-register.`,
  );
/** The master ends itself then. */
const attemptUnknown = (attemptId: string) =>
  new RpcException(
    yarn('ApplicationAttemptNotFoundException'),
    `Application attempt ${attemptId} doesn't exist in ApplicationMasterService cache.`,
  );
