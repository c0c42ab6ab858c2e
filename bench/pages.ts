// How soon is the first page of a server that has just started of use, do long lists scroll, how soon do events arrive, and what do those
// cost who only listen? What do metrics of many applications cost? `HEDDLE_BENCH_APPLICATIONS` sets another length of the list. Needs Chromium.
import { get, type IncomingMessage } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Browser, CDPSession, Page } from 'playwright-core';
import { browserNeeded, startBrowser } from '../test/support/browser.ts';
import { type ClusterProcesses, startProcesses } from '../test/support/processes.ts';
import { fill, specification, submit } from './applications.ts';
import { cpuShare, type Measure, percentile, restMs } from './measure.ts';

const listed = Number(process.env['HEDDLE_BENCH_APPLICATIONS'] ?? 100_000);
const starts = 5;
const events = 200;
const subscribers = 1000;
const idleMs = 20_000;
/** So many applications are there when the metrics are asked for. */
const measured = Math.min(10_000, listed);
const metricsAsked = 50;

/** A stream of events, once the server has answered. */
function follow(rm: string, query = ''): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    get(`${rm}/api/v1/events${query}`, { headers: { accept: 'text/event-stream' }, agent: false }, (answer) => {
      if (answer.statusCode === 200) resolve(answer);
      else reject(new Error(`the stream of events answered ${answer.statusCode}`));
    }).on('error', reject);
  });
}

interface FirstPage {
  /** From the request until its figures stand there. */
  readonly milliseconds: number;
  /** What came as JavaScript by then, as it was sent. */
  readonly scriptBytes: number;
}

/** The first page, by a browser that knows nothing of the server. */
async function firstPage(browser: Browser, rm: string): Promise<FirstPage> {
  await using context = await browser.newContext();
  const page = await context.newPage();
  const sizes: Promise<number>[] = [];
  page.on('requestfinished', (request) => {
    if (request.resourceType() === 'script') sizes.push(request.sizes().then(({ responseBodySize }) => responseBodySize));
  });
  const begin = performance.now();
  await page.goto(`${rm}/ui/`, { waitUntil: 'commit' });
  await page.getByRole('link', { name: /^Memory/ }).waitFor();
  const milliseconds = performance.now() - begin;
  return { milliseconds, scriptBytes: (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0) };
}

async function firstPages(browser: Browser): Promise<{ cold: number; warm: number; scriptBytes: number }> {
  const cold: FirstPage[] = [];
  const warm: FirstPage[] = [];
  for (let round = 0; round < starts; round++) {
    await using cluster = await startProcesses({ mode: 'none' });
    await cluster.start('up');
    cold.push(await firstPage(browser, cluster.urls.resourceManager));
    warm.push(await firstPage(browser, cluster.urls.resourceManager));
  }
  const half = (found: readonly FirstPage[]) =>
    percentile(
      found.map(({ milliseconds }) => milliseconds),
      0.5,
    );
  return { cold: half(cold), warm: half(warm), scriptBytes: Math.max(...cold.map(({ scriptBytes }) => scriptBytes)) };
}

/** Milliseconds of each answer of `/metrics`. */
async function metrics(rm: string): Promise<number[]> {
  const found: number[] = [];
  for (let number = 0; number < metricsAsked; number++) {
    const begin = performance.now();
    const answer = await fetch(`${rm}/metrics`);
    await answer.text();
    if (answer.status !== 200) throw new Error(`/metrics answered ${answer.status}`);
    found.push(performance.now() - begin);
  }
  return found;
}

/**
 * Milliseconds until the first event of an application is there: from the moment that it is sent, the sending and storing of it included, and from its
 * answer.
 */
async function delays(rm: string): Promise<{ sent: number[]; answered: number[] }> {
  const arrived = new Map<string, number>();
  const stream = await follow(rm, '?kind=application.created');
  stream.setEncoding('utf8').on('data', (text: string) => {
    for (const [id] of text.matchAll(/application_\d{1,20}_\d{1,10}/g)) if (!arrived.has(id)) arrived.set(id, performance.now());
  });
  const found = { sent: [] as number[], answered: [] as number[] };
  for (let number = 0; number < events; number++) {
    const begin = performance.now();
    const id = await submit(rm, specification());
    const answered = performance.now();
    const end = begin + 5000;
    while (!arrived.has(id) && performance.now() < end) await sleep(1);
    const at = arrived.get(id) ?? Number.POSITIVE_INFINITY;
    found.sent.push(at - begin);
    found.answered.push(Math.max(0, at - answered));
  }
  stream.destroy();
  return found;
}

/** Percent of one core that the resource manager takes while nothing happens, for nobody and for many who listen. */
async function listening(cluster: ClusterProcesses): Promise<{ alone: number; followed: number }> {
  const pid = cluster.pids.get('resource-manager') ?? 0;
  await sleep(restMs);
  const alone = await cpuShare(pid, () => sleep(idleMs));
  const streams = await Promise.all(Array.from({ length: subscribers }, () => follow(cluster.urls.resourceManager)));
  for (const stream of streams) stream.resume();
  await sleep(2000);
  const followed = await cpuShare(pid, () => sleep(idleMs));
  for (const stream of streams) stream.destroy();
  return { alone, followed };
}

/** How a list is gone through: how far at a time, in windows, and for how many pictures at most. */
interface Scrolling {
  readonly windows: number;
  readonly pictures: number;
}

interface Scrolled {
  /** Milliseconds between the pictures of the browser meanwhile. */
  readonly frames: readonly number[];
  readonly rows: number;
  /** Milliseconds that the page's own thread worked for each, whatever else the machine did. */
  readonly work: number;
}

/** Goes on from the beginning, to the end of what the list has and on, until it has `rows`. */
const scroll = (page: Page, rows: number, { windows, pictures }: Scrolling): Promise<Pick<Scrolled, 'frames' | 'rows'>> =>
  page.evaluate(
    async ([wanted, windows, pictures]) => {
      interface Frame {
        scrollTop: number;
        readonly scrollHeight: number;
        readonly clientHeight: number;
      }
      const global = globalThis as unknown as {
        document: { querySelector(selector: string): Frame };
        requestAnimationFrame(then: (time: number) => void): void;
      };
      const frame = global.document.querySelector('.table-frame.scrolls');
      const next = () => new Promise<number>((resolve) => global.requestAnimationFrame(resolve));
      const frames: number[] = [];
      const has = () => Math.round(frame.scrollHeight / 33) - 1;
      frame.scrollTop = 0;
      await next();
      let before = await next();
      let waited = 0;
      while ((has() < wanted || frame.scrollTop + frame.clientHeight < frame.scrollHeight) && waited < 600 && frames.length < pictures) {
        const from = frame.scrollTop;
        frame.scrollTop = from + frame.clientHeight * windows;
        const now = await next();
        frames.push(now - before);
        before = now;
        waited = frame.scrollTop === from ? waited + 1 : 0;
      }
      return { frames, rows: has() };
    },
    [rows, windows, pictures] as const,
  );

/** Milliseconds that the page's thread has worked so far. */
async function workOf(session: CDPSession): Promise<number> {
  const { metrics } = await session.send('Performance.getMetrics');
  return 1000 * (metrics.find(({ name }) => name === 'TaskDuration')?.value ?? 0);
}

/** Through all of a long list, three windows at a time, then through its beginning as a wheel does it. */
async function longList(browser: Browser, rm: string): Promise<{ far: Scrolled; near: Scrolled }> {
  await fill(rm, listed - measured);
  await using context = await browser.newContext({ viewport: { width: 1440, height: 900 } });
  const page = await context.newPage();
  await page.goto(`${rm}/ui/applications`);
  await page.locator('.table-frame.scrolls').waitFor();
  const session = await context.newCDPSession(page);
  await session.send('Performance.enable', { timeDomain: 'threadTicks' });
  const scrolled = async (scrolling: Scrolling): Promise<Scrolled> => {
    const before = await workOf(session);
    const found = await scroll(page, listed, scrolling);
    return { ...found, work: ((await workOf(session)) - before) / Math.max(1, found.frames.length) };
  };
  const far = await scrolled({ windows: 3, pictures: Number.POSITIVE_INFINITY });
  return { far, near: await scrolled({ windows: 0.25, pictures: 600 }) };
}

export async function pages(): Promise<Measure[]> {
  if (browserNeeded !== false) throw new Error(browserNeeded);
  const browser = await startBrowser([]);
  try {
    const first = await firstPages(browser);
    await using cluster = await startProcesses({
      mode: 'roles',
      settings: {
        'yarn.scheduler.capacity.maximum-applications': String(listed + events),
        'heddle.http.maximum-connections-per-address': String(2 * subscribers),
      },
    });
    const rm = cluster.urls.resourceManager;
    const delay = await delays(rm);
    const cost = await listening(cluster);
    await fill(rm, measured);
    const asked = await metrics(rm);
    const { far, near } = await longList(browser, rm);
    const tenth = Math.ceil(far.frames.length / 10);
    return [
      { name: 'first page of use, server just started', value: first.cold, unit: 'ms' },
      { name: 'the same, asked for again by a new browser', value: first.warm, unit: 'ms' },
      { name: 'JavaScript of the first page, compressed', value: first.scriptBytes / 1024, unit: 'KiB' },
      { name: `/metrics of ${measured} applications, p50`, value: percentile(asked, 0.5), unit: 'ms' },
      { name: `/metrics of ${measured} applications, p99`, value: percentile(asked, 0.99), unit: 'ms' },
      { name: 'event after its cause was sent, p50', value: percentile(delay.sent, 0.5), unit: 'ms' },
      { name: 'event after its cause was sent, p99', value: percentile(delay.sent, 0.99), unit: 'ms' },
      { name: 'event after its cause was answered, p50', value: percentile(delay.answered, 0.5), unit: 'ms' },
      { name: 'event after its cause was answered, p99', value: percentile(delay.answered, 0.99), unit: 'ms' },
      { name: 'idle, nobody listens', value: cost.alone, unit: '% of a core' },
      { name: `idle, ${subscribers} listen`, value: cost.followed, unit: '% of a core' },
      { name: 'rows that were scrolled through', value: far.rows, unit: 'rows' },
      { name: 'three windows further with each picture: between two, p50', value: percentile(far.frames, 0.5), unit: 'ms' },
      { name: 'the same in the first tenth of the list', value: percentile(far.frames.slice(0, tenth), 0.5), unit: 'ms' },
      { name: 'the same in the last tenth', value: percentile(far.frames.slice(-tenth), 0.5), unit: 'ms' },
      { name: 'three windows further: between two pictures, p99', value: percentile(far.frames, 0.99), unit: 'ms' },
      { name: 'three windows further: work of the page for a picture', value: far.work, unit: 'ms' },
      { name: 'a quarter of a window further: between two pictures, p50', value: percentile(near.frames, 0.5), unit: 'ms' },
      { name: 'a quarter of a window further: between two pictures, p99', value: percentile(near.frames, 0.99), unit: 'ms' },
      { name: 'a quarter of a window further: work of the page for a picture', value: near.work, unit: 'ms' },
    ];
  } finally {
    await browser.close();
  }
}
