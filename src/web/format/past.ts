// What of the application history can still change: what has ended is not asked for again. Pure.
import { hasEnded } from './states.ts';

/** When an application started and ended, ms; 0: it has not. */
interface Told {
  readonly appId: string;
  readonly appState: string;
  readonly startedTime: number;
  readonly finishedTime: number;
}
/** When a container ended, ms. */
interface ToldContainer {
  readonly finishedTime?: number;
}

/** How much later the history may be told of an application than of one that started after it, ms. */
const lateMs = 600_000;

/** Whether nothing more will be told of an application. */
export const isOver = ({ appState, finishedTime }: Pick<Told, 'appState' | 'finishedTime'>): boolean =>
  hasEnded(appState) && finishedTime > 0;

/** Whether all containers of an application that is over were told to have ended, or it is too long ago that they still will be. */
export const isWhole = (application: Told, containers: readonly ToldContainer[], nowMs: number): boolean =>
  isOver(application) &&
  (nowMs - application.finishedTime > lateMs || (containers.length > 0 && containers.every(({ finishedTime = 0 }) => finishedTime > 0)));

/** From which start on applications are asked for again, ms: those before it are known, and over. 0: all are. */
export function openSinceMs(known: readonly Told[]): number {
  const newest = Math.max(0, ...known.map(({ startedTime }) => startedTime));
  const open = known.filter((application) => !isOver(application)).map(({ startedTime }) => startedTime);
  return Math.max(0, Math.min(newest - lateMs, ...open));
}

/** What was known with what has come, which takes its place: the newest first, at most so many. */
export function withNews<Each extends Told>(known: readonly Each[], news: readonly Each[], most: number): readonly Each[] {
  const all = new Map([...known, ...news].map((application) => [application.appId, application]));
  return [...all.values()].sort((a, b) => b.startedTime - a.startedTime).slice(0, most);
}

/** Words at the end of the events with which YARN tells that an application, an attempt or a container has ended. */
const endOfYarn = /^YARN_(?:APPLICATION|APPLICATION_ATTEMPT|CONTAINER)_FINISHED$/;
/** Whether YARN's own entity has ended: nothing more will be told of it. */
export const hasEndEvent = (kinds: readonly string[]): boolean => kinds.some((kind) => endOfYarn.test(kind));
