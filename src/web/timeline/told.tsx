// All that version 2 of the timeline was told of one thing: events, metrics, info, configuration, relations.
import type { Metric, Told } from '../api/flows.ts';
import type { Published } from '../api/timeline.ts';
import { counted } from '../format/amounts.ts';
import { Panel } from '../parts/basics.tsx';
import { Events } from './events.tsx';
import { Values } from './published.tsx';

/** Names by which lists find it again, which say nothing of it. */
const ownNames = new Set(['UID', 'FROM_ID']);

export function ToldParts({
  told: { events = [], metrics = [], info = {}, configs = {}, relatesto = {}, isrelatedto = {} },
}: {
  readonly told: Told;
}) {
  const plain = Object.fromEntries(Object.entries(info).filter(([name]) => !ownNames.has(name)));
  const shown = events.map(({ id, timestamp, info: of = {} }) => ({ name: id, timestamp, info: of }));
  const related = [...Object.entries(relatesto), ...Object.entries(isrelatedto)].filter(([, ids]) => ids.length > 0);
  return (
    <>
      <div className="grid">
        <Panel title="Events" aside={<span className="quiet">{counted(events.length, 'event')}</span>}>
          <Events events={shown} />
        </Panel>
        <Panel title="Metrics" aside={<span className="quiet">{counted(metrics.length, 'metric')}</span>}>
          <NamedValues label="Metrics" values={latest(metrics)} none="Nothing was measured." />
        </Panel>
      </div>
      <Panel title="Info">
        <NamedValues label="Info" values={plain} none="Nothing else was told of it." />
      </Panel>
      {related.length > 0 && (
        <Panel title="Related entities">
          <NamedValues label="Related entities" values={Object.fromEntries(related)} none="" />
        </Panel>
      )}
      {Object.keys(configs).length > 0 && (
        <Panel title="Configuration" aside={<span className="quiet">{counted(Object.keys(configs).length, 'setting')}</span>}>
          <NamedValues label="Configuration" values={configs} none="" />
        </Panel>
      )}
    </>
  );
}

/** Of each metric the value that came last. */
const latest = (metrics: readonly Metric[]): Record<string, Published> =>
  Object.fromEntries(metrics.map(({ id, values }) => [id, values[String(Math.max(...Object.keys(values).map(Number)))] ?? null]));

function NamedValues({
  label,
  values,
  none,
}: {
  readonly label: string;
  readonly values: Readonly<Record<string, Published>>;
  readonly none: string;
}) {
  return Object.keys(values).length === 0 ? <p className="empty">{none}</p> : <Values label={label} values={values} />;
}
