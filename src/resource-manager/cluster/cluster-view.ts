// What readers see of the cluster.
import type { Application } from '../applications/application.ts';
import type { Attempt } from '../applications/attempt.ts';
import type { Container } from '../applications/container.ts';
import type { SubmissionRoom } from '../applications/submission-room.ts';
import type { Node } from '../nodes/node.ts';
import type { NodeTotals } from '../nodes/node-totals.ts';
import type { ApplicationIndex } from './application-index.ts';
import type { ApplicationOrder } from './application-order.ts';

/** An attempt of a live application together with it. */
export interface FoundAttempt {
  readonly application: Application;
  readonly attempt: Attempt;
}

/** What lists read of the index of applications. */
export type ApplicationsBy = Pick<ApplicationIndex, 'select' | 'latest' | 'narrowest' | 'counts' | 'ended'> & {
  readonly byStart: Pick<ApplicationOrder, 'after'>;
  readonly byId: Pick<ApplicationOrder, 'after'>;
};

/** How many things of each kind are kept in memory; all but `nodes` are 0 once every application ended and is forgotten. */
export interface ClusterSizes {
  readonly applications: number;
  readonly attempts: number;
  readonly containers: number;
  readonly nodes: number;
  /** Applications whose master waits for a container. */
  readonly waiting: number;
  /** Submissions whose first write is under way. */
  readonly submissions: number;
  /** Ends of applications that are being written. */
  readonly endings: number;
  /** Applications that have something on a node. */
  readonly placed: number;
  /** Masters whose last contact is remembered. */
  readonly lastContacts: number;
  /** Attempts for whose master ends of containers are kept until it registers. */
  readonly earlyReports: number;
  /** Attempts whose master was told ends by an earlier process, and has not registered with this one. */
  readonly toldBefore: number;
  /** Masters with a session. */
  readonly sessions: number;
  /** Containers of an earlier process whose nodes have not come back yet. */
  readonly expected: number;
}

/** Reading access to the state of the cluster; nothing here changes it. */
export interface ClusterView {
  /** A live application, or an ended one that is still in memory; the store has the older ones (`Cluster.findAny`). */
  application(id: string): Readonly<Application> | undefined;
  /** Applications in memory in the order in which they came. */
  applications(): IteratorObject<Readonly<Application>, undefined>;
  readonly applicationCount: number;
  /** What submissions of applications in memory take of it. */
  readonly submissionRoom: Pick<SubmissionRoom, 'refusalOf'>;
  /** The applications in memory by what lists ask for. */
  readonly applicationsBy: ApplicationsBy;
  /** Whether the application's master waits for a container. */
  isWaiting(application: Application): boolean;
  /**
   * What the scheduler says now of an application whose master waits, with the date since which it says so; undefined for every other
   * application. Reading changes nothing. `ageMs`: a text that was asked for so lately is not asked for again.
   */
  waitingText(application: Application, ageMs?: number): string | undefined;
  /** Resolves when a submission whose first write is under way is durable; undefined where none is. */
  submission(applicationId: string): Promise<void> | undefined;
  /** Resolves when the end of the application is durable, rejects when this try to write it fails; undefined where none is being written. */
  ending(applicationId: string): Promise<void> | undefined;
  /** The attempt of an application in memory. */
  attempt(id: string): FoundAttempt | undefined;
  /** A live container. */
  container(id: string): Readonly<Container> | undefined;
  /** Live containers in the order in which they were given. */
  containers(): IteratorObject<Readonly<Container>, undefined>;
  readonly containerCount: number;
  /** Containers of the application that an earlier process gave, on nodes that have not come back yet. */
  expected(application: Application): readonly Readonly<Container>[];
  /** A node, whatever its state. */
  node(id: string): Readonly<Node> | undefined;
  /** Nodes in the order in which they registered first. */
  nodes(): IteratorObject<Readonly<Node>, undefined>;
  readonly nodeCount: number;
  /** How many nodes are in each state, and what they use. */
  readonly nodeTotals: Readonly<Pick<NodeTotals, 'counts' | 'usedMemoryMiB' | 'usedCores'>>;
  /** How many changes of the cluster there were. While it is the same, all that is seen here is, but for what a clock changes. */
  readonly changes: number;
}
