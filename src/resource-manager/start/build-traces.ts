// Traces of applications, where an endpoint is set.
import { settingFault } from '../../config/setting-fault.ts';
import { heddleSettings } from '../../config/settings/heddle.ts';
import { tracesEndpoint } from '../../config/traces-endpoint.ts';
import type { Cluster } from '../cluster.ts';
import { ApplicationSpans } from '../traces/application-spans.ts';
import { openSpanExporter, tracePackages } from '../traces/span-exporter.ts';
import type { Starting } from './starting.ts';

/** Begins to trace; nothing is loaded where no endpoint is set. @throws ConfigurationError for an endpoint that is none, and without the packages */
export async function buildTraces({ configuration, clock, logger, closer }: Starting, cluster: Cluster, startedMs: number): Promise<void> {
  const url = tracesEndpoint(configuration);
  if (url === undefined) return;
  try {
    const exporter = await openSpanExporter(url.href, String(startedMs), { clock, logger });
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
    throw settingFault(
      configuration,
      heddleSettings.tracesEndpoint.key,
      'the libraries of OpenTelemetry are not installed',
      `Install them beside Heddle: npm install ${tracePackages.join(' ')}`,
    );
  }
}
