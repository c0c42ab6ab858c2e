// Applications as text and back. Containers are not kept: nodes tell of them after a restart.
import type { Application } from '../applications/application.ts';
import type { Attempt } from '../applications/attempt.ts';
import type { Container } from '../applications/container.ts';

interface AttemptDocument extends Omit<Attempt, 'containers' | 'blacklistedNodes'> {
  readonly blacklistedNodes: readonly string[];
}
interface ApplicationDocument extends Omit<Application, 'attempts' | 'logAggregation'> {
  readonly attempts: readonly AttemptDocument[];
  readonly logAggregation: readonly (readonly [string, { status: never; diagnostics: string }])[];
}

/** The text of an application. `ended` leaves out what only a live one needs: commands, environment, secrets. */
export function applicationToText(application: Application, ended: boolean): string {
  const { attempts, logAggregation, submission, ...rest } = application;
  const document = {
    ...rest,
    submission: ended ? { ...submission, launch: { commands: [], environment: {}, localResources: {}, serviceData: {} } } : submission,
    attempts: attempts.map(({ containers: _containers, blacklistedNodes, token, ...attempt }) => ({
      ...attempt,
      token: ended ? '' : token,
      blacklistedNodes: [...blacklistedNodes],
    })),
    logAggregation: [...logAggregation],
  };
  return JSON.stringify(document);
}

/** The application of a text, without containers. */
export function applicationFromText(text: string): Application {
  const document = JSON.parse(text) as ApplicationDocument;
  return {
    ...document,
    blacklistedBySystem: document.blacklistedBySystem ?? [],
    submittedQueue: document.submittedQueue ?? (document.admitted ? document.queue : ''),
    attempts: document.attempts.map((attempt) => ({
      ...attempt,
      containers: new Map<string, Container>(),
      blacklistedNodes: new Set(attempt.blacklistedNodes),
    })),
    logAggregation: new Map(document.logAggregation),
  };
}
