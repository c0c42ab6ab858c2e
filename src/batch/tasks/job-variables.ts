// Environment variables that a job's settings give its containers: `A=b,C=d`, or one setting a variable (Hadoop's Apps.setEnvFromInputProperty).
import type { JobConfiguration } from './job-configuration.ts';

/** `A=b,C=d`: a comma ends a value; entries without `=` or with another name than of letters, digits and `_` are passed over. */
function listed(text: string): [string, string][] {
  return text.split(',').flatMap((entry): [string, string][] => {
    const at = entry.indexOf('=');
    const name = entry.slice(0, Math.max(0, at)).trim();
    return /^[A-Za-z_][A-Za-z0-9_]*$/.test(name) ? [[name, entry.slice(at + 1)]] : [];
  });
}

/** The variables of one setting, then those of `<setting>.<VARIABLE>`. */
function variablesOf(settings: JobConfiguration, name: string): Record<string, string> {
  const variables = Object.fromEntries(listed(settings.text(name, '')));
  const prefix = `${name}.`;
  for (const [key, value] of settings.entries()) if (key.startsWith(prefix)) variables[key.slice(prefix.length)] = settings.expand(value);
  return variables;
}

/** What the environment of a map's or reduce's container gets. References to other variables (`$PATH`) are the node's to replace. */
export function taskVariables(settings: JobConfiguration, kind: 'MAP' | 'REDUCE'): Record<string, string> {
  const own = kind === 'MAP' ? 'mapreduce.map.env' : 'mapreduce.reduce.env';
  const listOfAll = variablesOf(settings, 'mapred.child.env');
  return { ...variablesOf(settings, 'mapreduce.admin.user.env'), ...listOfAll, ...variablesOf(settings, own) };
}

/** What the environment of the master's container gets. */
export function masterVariables(settings: JobConfiguration): Record<string, string> {
  return { ...variablesOf(settings, 'yarn.app.mapreduce.am.admin.user.env'), ...variablesOf(settings, 'yarn.app.mapreduce.am.env') };
}
