// The applications whose map outputs a node serves, with the service data by which their callers are known; remembered over a restart.
import { readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { checked, fields, text } from '../../lib/json-shape.ts';
import type { Logger } from '../../lib/log.ts';
import { makeFolder } from '../../lib/make-folder.ts';

/** What is kept of an application; its service data is base64. */
const applicationState = fields({ user: text(), token: text() });

/** An application that the node was told of. */
export interface RegisteredApplication {
  readonly id: string;
  readonly user: string;
  /** The service data of its containers: a secret of the job. */
  readonly data: Buffer;
}

/** All of them, each in a file of its own that only the node manager's user reads. */
export class RegisteredApplications {
  readonly #folder: string;
  readonly #logger: Logger;
  readonly #known = new Map<string, RegisteredApplication>();

  constructor(folder: string, logger: Logger) {
    this.#folder = folder;
    this.#logger = logger;
  }

  /** Remembers the applications of before a restart; what cannot be read is logged and left out. */
  load(): void {
    makeFolder(this.#folder, 0o700);
    for (const name of readdirSync(this.#folder)) {
      if (!/^application_\d+_\d+\.json$/.test(name)) continue;
      try {
        const { value, fault } = checked(applicationState, JSON.parse(readFileSync(join(this.#folder, name), 'utf8')));
        if (fault !== undefined) throw new Error(fault);
        const id = name.slice(0, -5);
        this.#known.set(id, { id, user: value.user, data: Buffer.from(value.token, 'base64') });
      } catch (error) {
        this.#logger.warn({ error, name }, 'state of an application in the shuffle service cannot be read');
      }
    }
  }

  /** How many there are. */
  get size(): number {
    return this.#known.size;
  }

  get(id: string): RegisteredApplication | undefined {
    return this.#known.get(id);
  }

  /** Keeps an application. A second call with the same data changes nothing. */
  add(id: string, user: string, data: Buffer): void {
    if (this.#known.get(id)?.data.equals(data)) return;
    const file = this.#fileOf(id);
    writeFileSync(`${file}.new`, JSON.stringify({ user, token: data.toString('base64') }), { mode: 0o600 });
    renameSync(`${file}.new`, file);
    this.#known.set(id, { id, user, data });
  }

  /** Forgets an application. */
  remove(id: string): void {
    this.#known.delete(id);
    rmSync(this.#fileOf(id), { force: true });
  }

  #fileOf(id: string): string {
    return join(this.#folder, `${id}.json`);
  }
}
