// `/logLevel?log=NAME[&level=LEVEL[&for=TIME]]`: shows and sets how much is logged, whatever the name. The lines that `yarn daemonlog` prints are Hadoop's;
// `for`, and the line that says until when a level counts, are Heddle's own.
import { parseDuration } from '../config/values.ts';
import type { Clock } from '../lib/clock.ts';
import { isoTime } from '../lib/iso-time.ts';
import type { Logger } from '../lib/log.ts';
import { changeLevel, levelOf } from '../lib/log-level.ts';
import { failure } from '../model/errors.ts';
import { logLevels, longestLevelChangeMs } from '../wire/cluster/server-log.ts';
import { type Answer, htmlAnswer } from './answers.ts';
import { servlet } from './daemon-pages.ts';
import { html } from './html.ts';
import type { Query } from './query.ts';
import type { Call, Route } from './service.ts';

const levels: readonly string[] = [...logLevels.toReversed(), 'silent'];
/** The time for which the page offers to change a level. */
const offeredFor = '10m';

/** Marks the lines that `hadoop daemonlog` prints. */
const marker = html`<!-- OUTPUT -->`;

/** What the page works on. */
export interface LogLevelOptions {
  /** Whose level it is about. */
  readonly logger: Logger;
  readonly clock: Clock;
  /** Throws for who may not change it. */
  readonly mayChange: (call: Call) => void;
  /** Hears of a change, in words. */
  readonly changed?: (call: Call, change: string) => void;
}

/** How long a new level is to count; undefined: until the server is started anew. @throws Failure BAD_REQUEST */
function forMsOf(query: Query): number | undefined {
  const text = query.first('for');
  if (text === undefined) return undefined;
  if (!query.first('level')) throw failure('BAD_REQUEST', { reason: 'for says how long a level counts: give level, too.' });
  const ms = parseDuration(text, 's');
  if (ms === undefined || !(ms >= 1000 && ms <= longestLevelChangeMs))
    throw failure('BAD_REQUEST', { reason: 'for must be a time from a second to seven days, such as 90, 10m or 2h.' });
  return ms;
}

/** Its routes. */
export function logLevelRoutes({ logger, clock, mayChange, changed }: LogLevelOptions): Route<never>[] {
  const show = (call: Call): Answer => {
    const level = call.query.first('level')?.toLowerCase();
    const name = call.query.first('log');
    if (level) mayChange(call);
    const forMs = forMsOf(call.query);
    const isChange = level !== undefined && levels.includes(level);
    const lines = name === undefined ? [] : [html`Submitted Class Name: <b>${name}</b><br />`];
    if (level) {
      lines.push(html`Submitted Level: <b>${level}</b><br />`);
      if (isChange) {
        changeLevel(logger, level, { clock, forMs });
        changed?.(call, forMs === undefined ? level : `${level} for ${forMs / 1000} s`);
        lines.push(html`Setting Level to ${level.toUpperCase()} ...<br />`);
      } else lines.push(html`Bad Level : <b>${level}</b>; use one of ${levels.join(', ')}.<br />`);
    }
    const now = levelOf(logger);
    lines.push(html`Effective Level: <b>${now.level.toUpperCase()}</b><br />`);
    if (now.change) lines.push(html`Until ${isoTime(now.change.untilMs)}, then ${now.change.afterwards.toUpperCase()} again.<br />`);
    else if (isChange) lines.push(html`Until this server is started anew; with for=${offeredFor} it would be for ten minutes.<br />`);
    const target = (word: string, further: string) =>
      `/logLevel?${name === undefined ? '' : `log=${encodeURIComponent(name)}&`}level=${word}${further}`;
    const buttons = (further: string) => levels.map((word) => html`<button formaction="${target(word, further)}">${word}</button> `);
    const form = html`<form method="post"><p>For ten minutes: ${buttons(`&for=${offeredFor}`)}</p><p>Until this server is started anew: ${buttons('')}</p></form>`;
    return htmlAnswer(
      200,
      html`<html>\n<head><title>Log Level</title></head>\n<body>\n<h1>Log Level</h1>\n${lines.map((line) => html`${marker}${line}\n`)}${form}\n</body>\n</html>\n`,
    );
  };
  // Hadoop's own programs change the level by GET, which a browser is not let do; the page's buttons send POST.
  const changesByGet = (query: Query) => query.first('level') !== undefined;
  return servlet('/logLevel', 'Shows and sets the level of logging.', 'admin', show).map((route) =>
    route.method === 'GET' ? { ...route, changesByGet } : route.method === 'POST' ? { ...route, refuses: false, handle: show } : route,
  );
}
