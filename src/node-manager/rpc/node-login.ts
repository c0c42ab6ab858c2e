// Logins of masters with their tokens for this node (NMTokenSecretManagerInNM).
import type { TokensOfNodes } from '../../auth/application-tokens/open-tokens.ts';
import { applicationIdOfAttempt } from '../../model/ids.ts';
import type { TokenLogin } from '../../rpc/authentication.ts';
import { javaClasses, RpcException } from '../../rpc/exceptions.ts';

/** What the login works with. */
export interface NodeLoginNeeds {
  /** Undefined before the resource manager has told the cluster's key. */
  readonly tokens: () => TokensOfNodes | undefined;
  readonly nodeId: () => string;
  /** Whether something of the application is on the node. */
  readonly hasApplication: (applicationId: string) => boolean;
}

/** Clients ask again when they hear of it. */
export const notYetReady = (): RpcException =>
  new RpcException(
    'org.apache.hadoop.yarn.exceptions.NMNotYetReadyException',
    'Rejecting new containers as NodeManager has not yet connected with ResourceManager',
  );

/** A master is known as its attempt. */
export const nodeLogin = ({ tokens, nodeId, hasApplication }: NodeLoginNeeds): TokenLogin => ({
  passwordOf(identifier) {
    const { nodes } = tokens() ?? {};
    if (!nodes) throw notYetReady();
    const found = nodes.read(identifier);
    const of = `Given NMToken for application : ${found?.attemptId ?? 'unknown'}`;
    if (found && found.nodeId !== nodeId())
      throw new RpcException(
        javaClasses.InvalidToken,
        `${of} is not valid for current node manager.expected : ${nodeId()} found : ${found.nodeId}`,
      );
    const password = nodes.passwordOf(identifier, (attemptId) => hasApplication(applicationIdOfAttempt(attemptId)));
    if (!password) throw new RpcException(javaClasses.InvalidToken, `${of} seems to have been generated illegally.`);
    return password;
  },
  userOf: (identifier) => ({ user: tokens()?.nodes.read(identifier)?.attemptId ?? '' }),
});
