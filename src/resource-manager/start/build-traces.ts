// Traces of applications, where an endpoint is set.
import { heddleSettings } from '../../config/settings/heddle.ts';
import { ConfigurationError } from '../../config/table.ts';
import type { Cluster } from '../cluster.ts';
import { ApplicationSpans } from '../traces/application-spans.ts';
import { openSpanExporter, tracePackages } from '../traces/span-exporter.ts';
import type { Starting } from './starting.ts';

/** Begins to trace; nothing is loaded where no endpoint is set. @throws ConfigurationError for an endpoint that is none, and without the packages */
export async function buildTraces({ configuration, clock, closer }: Starting, cluster: Cluster, startedMs: number): Promise<void> {
  const { tracesEndpoint: endpoint } = configuration.values(heddleSettings);
  if (endpoint === '') return;
  const { key } = heddleSettings.tracesEndpoint;
  const source = configuration.origin(key)?.source ?? 'defaults';
  const url = URL.parse(endpoint);
  if (url === null || !/^https?:$/.test(url.protocol))
    throw new ConfigurationError(
      source,
      key,
      `'${endpoint}' is no address`,
      'Give the whole address for traces: http://127.0.0.1:4318/v1/traces.',
    );
  try {
    const exporter = await openSpanExporter(url.href, String(startedMs));
    const spans = new ApplicationSpans({
      clock,
      isWaiting: (application) => cluster.view.isWaiting(application),
      waitingText: (application, ageMs) => cluster.view.waitingText(application, ageMs),
      take: (span) => exporter.send(span),
    });
    cluster.observe(spans.observer);
    closer.add('traces', async () => {
      spans.close();
      await exporter.close();
    });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ERR_MODULE_NOT_FOUND') throw error;
    throw new ConfigurationError(
      source,
      key,
      'the libraries of OpenTelemetry are not installed',
      `Install them beside Heddle: npm install ${tracePackages.join(' ')}`,
    );
  }
}
