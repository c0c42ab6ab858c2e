// A master says how its application ended (ApplicationMasterService.finishApplicationMaster).
import type { Application } from '../applications/application.ts';
import { isFinalState } from '../applications/application-states.ts';
import type { Attempt, FinalStatus } from '../applications/attempt.ts';
import { type ApplicationEnds, type CallingMaster, refuseMaster } from './calling-master.ts';

/** What a master says last. */
export interface LastWords {
  readonly finalStatus: FinalStatus;
  readonly diagnostics: string;
  readonly trackingUrl: string | undefined;
}

export interface FinishPorts {
  readonly masters: ApplicationEnds & {
    /** Resolves when durable; undefined where it is already, or the attempt's state does not take it. */
    unregister(application: Application, attempt: Attempt, last: LastWords): Promise<void> | undefined;
  };
}

/** Ends the application as its master says; resolves when that is durable. Said again, it waits for that and changes nothing. @throws Failure MASTER_NOT_EXPECTED, STORE_… */
export async function finish({ masters }: FinishPorts, master: CallingMaster, last: LastWords): Promise<void> {
  const { application, attempt } = master;
  const stored = masters.unregister(application, attempt, last);
  // An attempt that failed meanwhile ended nothing: another one goes on with the application.
  if (!stored && !(attempt.registered && isFinalState[application.state])) return refuseMaster(masters, master);
  await stored;
}
