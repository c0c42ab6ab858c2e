// What may be reserved: the checks of ReservationInputValidator and of the planners, in Hadoop's order and words.
import { parseLong } from '../../lib/java-number.ts';
import { failure } from '../../model/errors.ts';
import { type Resource, resourceText } from '../../model/resource.ts';

export const interpreters = ['ANY', 'ALL', 'ORDER', 'ORDER_NO_GAP'] as const;
/** How the requests of a definition belong together. */
export type Interpreter = (typeof interpreters)[number];

/** A number of equal containers, `concurrency` of them at a time at least. */
export interface ReservationRequest {
  readonly capability: Resource;
  readonly containers: number;
  readonly concurrency: number;
  readonly durationMs: number;
}

/** What a user wants to have between two moments. */
export interface ReservationDefinition {
  readonly arrivalMs: number;
  readonly deadlineMs: number;
  readonly interpreter: Interpreter;
  readonly requests: readonly ReservationRequest[];
  readonly name: string | undefined;
  /** As sent; `0` means once. */
  readonly recurrence: string;
}

const planner = 'org.apache.hadoop.yarn.server.resourcemanager.reservation.exceptions';
const refuse = (reason: string) => failure('RESERVATION_REFUSED', { reason });
/** A planner found no place. */
export const notSatisfiable = () => refuse(`${planner}.PlanningException: The request cannot be satisfied`);
/** What a planner found leaves a gap where there must be none. */
export const leavesGap = () => refuse(`${planner}.PlanningException: The allocation found does not respect ORDER_NO_GAP`);
const contract = (sentence: string) => refuse(`${planner}.ContractValidationException: ${sentence}`);

/** The plan's bounds a definition is held against. */
export interface PlanBounds {
  readonly nowMs: number;
  readonly total: Resource;
  /** Which of two amounts is more of the plan. */
  readonly compare: (a: Resource, b: Resource) => number;
  readonly maximumAllocation: Resource;
  readonly maximumPeriodicityMs: number;
}

const exceeds = (a: Resource, b: Resource): boolean => a.some((amount, index) => amount > (b[index] ?? 0));

/** Checks a definition. @throws Failure RESERVATION_REFUSED */
export function checkDefinition(definition: ReservationDefinition, bounds: PlanBounds): void {
  const { arrivalMs, deadlineMs, interpreter, requests } = definition;
  if (deadlineMs <= bounds.nowMs)
    throw refuse(`The specified deadline: ${deadlineMs} is the past. Please try again with deadline in the future.`);
  if (requests.length === 0)
    throw refuse('No resources have been specified to reserve. Please try again by specifying the resources to reserve.');
  const parallel = interpreter === 'ANY' || interpreter === 'ALL';
  let shortestMs = 0;
  let largestGang: Resource = [0, 0];
  for (const { capability, concurrency, durationMs } of requests) {
    shortestMs = parallel ? Math.max(shortestMs, durationMs) : shortestMs + durationMs;
    const gang = capability.map((amount) => amount * concurrency);
    if (bounds.compare(gang, largestGang) > 0) largestGang = gang;
  }
  const windowMs = deadlineMs - arrivalMs;
  if (interpreter !== 'ANY') {
    if (windowMs < shortestMs) {
      throw refuse(
        `The time difference (${windowMs}) between arrival (${arrivalMs}) and deadline (${deadlineMs}) must  be greater or equal to the minimum resource duration (${shortestMs})`,
      );
    }
    if (bounds.compare(largestGang, bounds.total) > 0) {
      throw refuse(
        `The size of the largest gang in the reservation definition (${resourceText(largestGang)}) exceed the capacity available (${resourceText(bounds.total)} )`,
      );
    }
  }
  checkRecurrence(definition.recurrence, windowMs, bounds.maximumPeriodicityMs);
  if (requests.some(({ durationMs }) => durationMs <= 0)) throw refuse('The duration of each resource request must be above 0.');
  if (requests.some(({ capability, containers }) => containers > 0 && capability.every((amount) => amount <= 0))) throw notSatisfiable();
}

function checkRecurrence(text: string, windowMs: number, maximumPeriodicityMs: number): void {
  const periodMs = parseLong(text);
  if (periodMs === undefined) throw refuse(`Invalid period ${text}. Please try again with a non-negative long value as period.`);
  if (periodMs < 0) throw refuse(`Negative Period : ${text}. Please try again with a non-negative long value as period.`);
  if (periodMs === 0) return;
  if (windowMs > periodMs) {
    throw refuse(
      `Duration of the requested reservation: ${windowMs} is greater than the recurrence: ${periodMs}. Please try again with a smaller duration.`,
    );
  }
  if (maximumPeriodicityMs % periodMs !== 0) {
    throw refuse(
      `The maximum periodicity: ${maximumPeriodicityMs} must be divisible by the recurrence expression provided: ${periodMs}. Please try again with a recurrence expression that satisfies this requirement.`,
    );
  }
}

/** The planner's own check of a request, when it comes to it (IterativePlanner.validateInputStage). @throws Failure RESERVATION_REFUSED */
export function checkRequest({ capability, containers, concurrency }: ReservationRequest, maximumAllocation: Resource): void {
  if (concurrency < 1) throw contract('Gang Size should be >= 1');
  if (containers <= 0) throw contract('Num containers should be > 0');
  if (containers % concurrency !== 0) throw contract('Parallelism must be an exact multiple of gang size');
  if (exceeds(capability, maximumAllocation)) throw contract("Individual capability requests should not exceed cluster's maxAlloc");
}
