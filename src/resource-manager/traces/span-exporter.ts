// Spans to an OTLP receiver over HTTP, by the libraries of OpenTelemetry, which are loaded only where there is one.
import type { Attributes } from '@opentelemetry/api';
import type { Clock } from '../../lib/clock.ts';
import type { Logger } from '../../lib/log.ts';
import type { TracedSpan } from './application-spans.ts';
import { ReceiverState } from './receiver-state.ts';

/** The packages that are to be installed beside Heddle. */
export const tracePackages = [
  '@opentelemetry/api',
  '@opentelemetry/sdk-trace',
  '@opentelemetry/exporter-trace-otlp-http',
  '@opentelemetry/resources',
] as const;

/** Takes spans and sends them in batches. */
export interface SpanExporter {
  send(span: TracedSpan): void;
  /** Sends what is there; gives up after some seconds. */
  close(): Promise<void>;
}

/** Most spans that wait to be sent; beyond that new ones are dropped. */
const mostWaiting = 20_000;
const batchMs = 2000;
const timeoutMs = 10_000;
const closeMs = 5000;

/**
 * An exporter to an endpoint such as `http://127.0.0.1:4318/v1/traces`.
 * @throws Error with the code ERR_MODULE_NOT_FOUND where a package is not there
 */
export async function openSpanExporter(
  url: string,
  instance: string,
  ports: { readonly clock: Pick<Clock, 'steadyMs'>; readonly logger: Logger },
): Promise<SpanExporter> {
  const { ROOT_CONTEXT, SpanStatusCode, TraceFlags, trace } = await import('@opentelemetry/api');
  const { BatchSpanProcessor, TracerProvider } = await import('@opentelemetry/sdk-trace');
  const { OTLPTraceExporter } = await import('@opentelemetry/exporter-trace-otlp-http');
  const { resourceFromAttributes } = await import('@opentelemetry/resources');
  /** The ids of the span that is made now: they follow from what it is of. */
  let made = { traceId: '', spanId: '' };
  const receiver = new ReceiverState(url, ports);
  const exporter = new OTLPTraceExporter({ url, timeoutMillis: timeoutMs });
  /** Spans that were not taken or refused yet: the library drops what is too much without a word. */
  let waiting = 0;
  const processor = new BatchSpanProcessor({
    exporter: {
      export(spans, told) {
        exporter.export(spans, (result) => {
          waiting -= spans.length;
          if (result.error === undefined && result.code === 0) receiver.took();
          else receiver.lost(spans.length, 'refused', result.error?.message || 'it did not answer in time');
          told(result);
        });
      },
      shutdown: () => exporter.shutdown(),
      forceFlush: () => exporter.forceFlush(),
    },
    maxQueueSize: mostWaiting,
    maxExportBatchSize: 1000,
    scheduledDelayMillis: batchMs,
    exportTimeoutMillis: timeoutMs,
  });
  const provider = new TracerProvider({
    resource: resourceFromAttributes({ 'service.name': 'heddle', 'service.instance.id': instance }),
    idGenerator: { generateTraceId: () => made.traceId, generateSpanId: () => made.spanId },
    spanProcessors: [processor],
  });
  const tracer = provider.getTracer('heddle');
  return {
    send({ traceId, spanId, parentId, name, startMs, endMs, attributes, moments, fault }) {
      if (waiting >= mostWaiting) return receiver.lost(1, 'too many', `${mostWaiting} spans wait already`);
      waiting++;
      made = { traceId, spanId };
      const parent =
        parentId === undefined
          ? ROOT_CONTEXT
          : trace.setSpanContext(ROOT_CONTEXT, { traceId, spanId: parentId, traceFlags: TraceFlags.SAMPLED, isRemote: true });
      const span = tracer.startSpan(name, { startTime: startMs, attributes: attributes as Attributes }, parent);
      for (const moment of moments) span.addEvent(moment.name, moment.attributes ?? {}, moment.timeMs);
      span.setStatus(fault === undefined ? { code: SpanStatusCode.OK } : { code: SpanStatusCode.ERROR, message: fault });
      span.end(endMs);
    },
    async close() {
      let timer: NodeJS.Timeout | undefined;
      const late = new Promise<void>((resolve) => {
        timer = setTimeout(resolve, closeMs);
      });
      await Promise.race([provider.shutdown().catch(() => undefined), late]);
      clearTimeout(timer);
    },
  };
}
