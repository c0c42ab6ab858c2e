import assert from 'node:assert/strict';
import { until } from './processes.ts';

/** What the tests read of an application report. */
export interface ApplicationReport {
  id: string;
  state: string;
  finalStatus: string;
  diagnostics: string;
  amContainerLogs?: string;
}

const finalStates = ['FINISHED', 'FAILED', 'KILLED'];

/** Submits by REST; returns the id. */
export async function submitApplication(resourceManager: string, specification: Record<string, unknown>, user = 'root'): Promise<string> {
  const base = `${resourceManager}/ws/v1/cluster/apps`;
  const fresh = await fetch(`${base}/new-application?user.name=${user}`, { method: 'POST' });
  const id = ((await fresh.json()) as Record<string, string>)['application-id'] ?? '';
  const answer = await fetch(`${base}?user.name=${user}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ 'application-id': id, ...specification }),
  });
  assert.equal(answer.status, 202, await answer.text());
  return id;
}

/** An application whose master is a shell command. */
export const commandApplication = (command: string, more: Record<string, unknown> = {}): Record<string, unknown> => ({
  'application-name': 'test',
  'application-type': 'TEST',
  'max-app-attempts': 1,
  resource: { memory: 256, vCores: 1 },
  'am-container-spec': { commands: { command } },
  ...more,
});

export async function applicationReport(resourceManager: string, id: string): Promise<ApplicationReport> {
  const answer = await fetch(`${resourceManager}/ws/v1/cluster/apps/${id}?user.name=root`, { headers: { accept: 'application/json' } });
  return ((await answer.json()) as { app: ApplicationReport }).app;
}

/** The report once the application has ended. */
export const endedApplication = (resourceManager: string, id: string, limitMs = 120_000): Promise<ApplicationReport> =>
  until(
    `${id} to end`,
    async () => {
      const app = await applicationReport(resourceManager, id);
      return finalStates.includes(app.state) && app;
    },
    limitMs,
  );
