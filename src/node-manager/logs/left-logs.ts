// Applications that are gone from the node while their logs still lie here, because logs are not gathered or could not be. Who owned
// them says who may read them, until they are deleted.
import { existsSync } from 'node:fs';
import { fields, text } from '../../lib/json-shape.ts';
import { applicationAcls } from '../../wire/cluster/container-messages.ts';
import type { Application } from '../applications/application.ts';
import type { NodeFolders } from '../folders.ts';

/** What is remembered of such an application. */
export type LeftApplication = Pick<Application, 'id' | 'user' | 'acls'> & Partial<Pick<Application, 'rolledLogs'>>;

/** What of one survives a restart. */
export const leftRecord = fields({ id: text(), user: text(), acls: applicationAcls });

/** Where they are remembered. */
export interface LeftLogStore {
  saveLeft(record: LeftApplication): void;
  removeLeft(applicationId: string): void;
}

/** The applications whose logs still lie on the node. */
export class LeftLogs {
  readonly #store: LeftLogStore;
  readonly #folders: NodeFolders;
  readonly #applications: Map<string, LeftApplication>;

  constructor(store: LeftLogStore, folders: NodeFolders, records: readonly LeftApplication[]) {
    this.#store = store;
    this.#folders = folders;
    this.#applications = new Map(records.map((record) => [record.id, record]));
  }

  find(applicationId: string): LeftApplication | undefined {
    return this.#applications.get(applicationId);
  }

  /** The application leaves the node; its logs stay. */
  keep({ id, user, acls }: LeftApplication): void {
    if (!this.#isHere(id)) return;
    this.#applications.set(id, { id, user, acls });
    this.#store.saveLeft({ id, user, acls });
  }

  /** Logs of it were deleted. */
  deleted(applicationId: string): void {
    if (!this.#applications.has(applicationId) || this.#isHere(applicationId)) return;
    this.#applications.delete(applicationId);
    this.#store.removeLeft(applicationId);
  }

  #isHere(applicationId: string): boolean {
    return this.#folders.logs.some((log) => existsSync(this.#folders.applicationLogs(log, applicationId)));
  }
}
