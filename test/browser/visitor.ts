// Somebody who looks at the pages of a running cluster with a real browser: what the browser complains of, every request to elsewhere and
// every serious finding of axe is a fault; pictures are taken where a folder for them is named.
import assert from 'node:assert/strict';
import { mkdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { after } from 'node:test';
import type { Browser, Page } from 'playwright-core';
import { startBrowser } from '../support/browser.ts';
import type { ClusterProcesses } from '../support/processes.ts';

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/** Widths at which pages are looked at, px. */
export const widths = [375, 1440, 2560] as const;
/** Where pictures go; undefined: none are taken. */
export const pictures = process.env['HEDDLE_PICTURES'];

let browser: Promise<Browser> | undefined;
/** The browser of all tests in this process: each visitor has a profile of their own in it. It is closed after the last test. */
export const oneBrowser = (): Promise<Browser> => (browser ??= startBrowser([]));
after(async () => (await browser)?.close());

/** What axe finds less serious than we do. */
const alsoSerious: ReadonlySet<string> = new Set(['empty-table-header', 'page-has-heading-one']);

interface Finding {
  readonly id: string;
  readonly impact: string | null;
  readonly nodes: readonly { readonly target: readonly unknown[]; readonly failureSummary?: string }[];
}

/** A page of a browser with what went wrong on it. */
export class Visitor {
  readonly page: Page;
  readonly #faults: string[] = [];
  #looks = 0;
  /** Words of faults that the test is about. */
  readonly expected: RegExp[] = [];

  private constructor(page: Page, origins: ReadonlySet<string>) {
    this.page = page;
    page.on('console', (message) => {
      if (message.type() === 'error' || message.type() === 'warning')
        this.#faults.push(`${message.type()}: ${message.text()} ${message.location().url}`);
    });
    page.on('response', (response) => {
      if (response.status() >= 400) this.#faults.push(`${response.status()} ${response.url()}`);
    });
    page.on('pageerror', (error) => this.#faults.push(`thrown: ${error.message}`));
    page.on('request', (request) => {
      const url = request.url();
      if (!url.startsWith('data:') && !origins.has(new URL(url).origin)) this.#faults.push(`a request to ${url}`);
    });
  }

  /** Opens a page; all servers of the cluster are its own, nothing else is. */
  static async open(browser: Browser, { urls }: ClusterProcesses, width = 1440): Promise<Visitor> {
    const context = await browser.newContext({ viewport: { width, height: 900 }, reducedMotion: 'reduce' });
    context.setDefaultTimeout(15_000);
    return new Visitor(await context.newPage(), new Set(Object.values(urls).map((url) => new URL(url).origin)));
  }

  /** Fails for whatever the browser complained of since the last time. */
  assertQuiet(): void {
    const faults = this.#faults.splice(0).filter((fault) => !this.expected.some((words) => words.test(fault)));
    assert.deepEqual(faults, []);
  }

  /**
   * Looks at the page as it stands, at each width: no serious finding, nothing wider than the window. Where pictures are taken, in both colours;
   * else in one, by turns, which takes half the time.
   */
  async look(name: string): Promise<void> {
    const { page } = this;
    const before = page.viewportSize()!;
    const both = ['light', 'dark'] as const;
    for (const scheme of pictures === undefined ? [both[this.#looks++ % 2]!] : both) {
      await page.emulateMedia({ colorScheme: scheme });
      for (const width of widths) {
        await page.setViewportSize({ width, height: 900 });
        await this.painted();
        const overflow = await page.evaluate<number>('document.documentElement.scrollWidth - document.documentElement.clientWidth');
        assert.ok(overflow <= 0, `${name} is ${overflow} px wider than a window of ${width} px`);
        if (pictures !== undefined) {
          mkdirSync(pictures, { recursive: true });
          await page.screenshot({ path: join(pictures, `${name}-${width}-${scheme}.png`), fullPage: true });
        }
      }
      assert.deepEqual(await this.#findings(), [], `${name}, ${scheme}`);
    }
    await page.emulateMedia({ colorScheme: 'light' });
    await page.setViewportSize(before);
    this.assertQuiet();
  }

  /** Waits until what a change of the window has moved, and what observers made of that, is on the screen. */
  async painted(): Promise<void> {
    await this.page.evaluate<void>(
      'new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(() => requestAnimationFrame(() => resolve()))))',
    );
  }

  async #findings(): Promise<string[]> {
    // Run by the test's own door: the page's policy lets no script of others in.
    await this.page.evaluate(axe);
    const found = await this.page.evaluate<{ violations: Finding[] }>("axe.run({ resultTypes: ['violations'] })");
    return found.violations
      .filter(({ impact, id }) => impact === 'serious' || impact === 'critical' || alsoSerious.has(id))
      .map(
        ({ id, nodes }) => `${id}: ${nodes.map(({ target, failureSummary }) => `${target.join(' ')} ${failureSummary ?? ''}`).join('; ')}`,
      );
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.page.context().close();
  }
}
