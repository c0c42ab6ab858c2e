// What an administrator may have read again while the history server runs (HSAdminServer, JobHistory.refresh… of Hadoop 3.4.2).
import type { GroupsOf } from '../auth/access-lists.ts';
import { isAllowed } from '../auth/access-lists.ts';
import type { ClaimedGroups } from '../auth/claimed-groups.ts';
import { groupMapping } from '../auth/groups.ts';
import { type MayImpersonate, proxyUsers } from '../auth/proxy-users.ts';
import { type Configuration, readAgain } from '../config/load.ts';
import { commonSettings } from '../config/settings/common.ts';
import { historySettings } from '../config/settings/history.ts';
import type { Repetition } from '../lib/repeat.ts';
import { parseAccessList } from '../model/access-list.ts';
import type { JobStore } from './jobs/job-store.ts';

/** Work that goes on and on as the settings say, and begins anew when they changed. */
export class Upkeep {
  readonly #begin: (configuration: Configuration) => Repetition | undefined;
  #running: Repetition | undefined;

  /** `begin` starts the work, or does nothing where the settings turn it off. */
  constructor(configuration: Configuration, begin: (configuration: Configuration) => Repetition | undefined) {
    this.#begin = begin;
    this.#running = begin(configuration);
  }

  /** Ends the work and begins it by other settings. */
  async restart(configuration: Configuration): Promise<void> {
    await this.close();
    this.#running = this.#begin(configuration);
  }

  async close(): Promise<void> {
    const running = this.#running;
    this.#running = undefined;
    await running?.close();
  }
}

/** What an administration changes. */
export interface AdministeredPieces {
  readonly store: Pick<JobStore, 'keepLoaded'>;
  /** Removes old jobs. */
  readonly cleaner: Upkeep;
  /** Removes old logs. */
  readonly logRetention: Upkeep;
  readonly claimedGroups: ClaimedGroups;
}

/** The rules that are read again, as they are now. Each refresh reads the files of settings; where that fails the rules stay. @throws ConfigurationError */
export class Administration {
  readonly #configuration: Configuration;
  readonly #pieces: AdministeredPieces;
  #groupsOf: GroupsOf;
  #mayImpersonate: MayImpersonate;
  #administrators: ReturnType<typeof parseAccessList>;

  constructor(configuration: Configuration, pieces: AdministeredPieces) {
    this.#configuration = configuration;
    this.#pieces = pieces;
    this.#groupsOf = this.#readGroups(configuration);
    this.#mayImpersonate = this.#readProxyUsers(configuration);
    this.#administrators = parseAccessList(configuration.values(historySettings).adminAcl);
  }

  readonly groupsOf: GroupsOf = (user) => this.#groupsOf(user);
  readonly mayImpersonate: MayImpersonate = (realUser, target, address) => this.#mayImpersonate(realUser, target, address);

  /** Whether the user may have settings read again: `mapreduce.jobhistory.admin.acl`. */
  mayAdminister(user: string): boolean {
    return isAllowed(this.#administrators, user, this.groupsOf);
  }

  refreshAdministrators(): void {
    this.#administrators = parseAccessList(readAgain(this.#configuration).values(historySettings).adminAcl);
  }

  refreshGroups(): void {
    this.#groupsOf = this.#readGroups(readAgain(this.#configuration));
  }

  refreshProxyUsers(): void {
    this.#mayImpersonate = this.#readProxyUsers(readAgain(this.#configuration));
  }

  /** Forgets the jobs in memory, and keeps as many from now on as the settings say. */
  refreshLoadedJobs(): void {
    const { loadedJobsCacheSize, loadedTasksCacheSize } = readAgain(this.#configuration).values(historySettings);
    this.#pieces.store.keepLoaded(loadedJobsCacheSize, loadedTasksCacheSize);
  }

  refreshJobRetention(): Promise<void> {
    return this.#pieces.cleaner.restart(readAgain(this.#configuration));
  }

  refreshLogRetention(): Promise<void> {
    return this.#pieces.logRetention.restart(readAgain(this.#configuration));
  }

  #readGroups(configuration: Configuration): GroupsOf {
    return groupMapping(configuration.values(commonSettings).staticGroups, this.#pieces.claimedGroups);
  }

  #readProxyUsers(configuration: Configuration): MayImpersonate {
    return proxyUsers(configuration.family(commonSettings.proxyUsers.key), this.groupsOf);
  }
}
