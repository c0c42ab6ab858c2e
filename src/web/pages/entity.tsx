// One entity of the timeline: what happened to it, what it is related to, what was told of it, who may read it.

import { Link } from '@tanstack/react-router';
import { domainQuery, entityQuery, type Published } from '../api/timeline.ts';
import { useAnswer } from '../api/use-answer.ts';
import { useSearchState } from '../app/address.ts';
import { counted } from '../format/amounts.ts';
import { Ago, Copy, Facts, PageHead, Panel } from '../parts/basics.tsx';
import { FailedPage } from '../parts/failed-page.tsx';
import { Loading } from '../parts/problem.tsx';
import { Events } from '../timeline/events.tsx';
import { Values } from '../timeline/published.tsx';
import '../timeline/timeline.css';

export default function EntityPage() {
  // Ids may hold slashes, which no path keeps on its way through gateways.
  const [{ type = '', id = '' }] = useSearchState();
  const { data: entity, error, refetch } = useAnswer(entityQuery(type, id));
  if (error && !entity)
    return (
      <FailedPage
        title={id}
        error={error}
        retry={() => void refetch()}
        list={{ to: `/timeline?type=${encodeURIComponent(type)}`, title: `All of ${type}` }}
      />
    );
  if (!entity) return <Loading />;
  const { events = [], relatedentities = {}, primaryfilters = {}, otherinfo = {} } = entity;
  const related = Object.entries(relatedentities).filter(([, ids]) => ids.length > 0);
  return (
    <>
      <PageHead title={id} beside={<Copy text={id} />}>
        {type === 'YARN_APPLICATION' && (
          <Link className="button" to={`/history/${id}`}>
            Application
          </Link>
        )}
      </PageHead>
      <Facts
        rows={[
          [
            'Type',
            <Link key="type" to="/timeline" search={{ type } as never}>
              {type}
            </Link>,
          ],
          ['Began', <Ago key="began" ms={entity.starttime} none="not known" />],
          ...(entity.domain ? [['Domain', <Domain key="domain" id={entity.domain} />] as const] : []),
        ]}
      />
      <div className="grid">
        <Panel title="Events" aside={<span className="quiet">{counted(events.length, 'event')}</span>}>
          <Events events={events.map(({ eventtype, timestamp, eventinfo = {} }) => ({ name: eventtype, timestamp, info: eventinfo }))} />
        </Panel>
        <Panel title="Related entities">
          {related.length === 0 && <p className="empty">No entity was published as related to it.</p>}
          {related.map(([each, ids]) => (
            <div key={each} className="related">
              <h3>{each}</h3>
              <ul>
                {ids.map((other) => (
                  <li key={other}>
                    <Link className="id" to="/timeline/entity" search={{ type: each, id: other } as never}>
                      {other}
                    </Link>
                  </li>
                ))}
              </ul>
            </div>
          ))}
        </Panel>
      </div>
      <Panel title="Filters">
        {Object.keys(primaryfilters).length === 0 ? (
          <p className="empty">None.</p>
        ) : (
          <Values label="Filters" values={firstOf(primaryfilters)} />
        )}
      </Panel>
      <Panel title="Other info">
        {Object.keys(otherinfo).length === 0 ? (
          <p className="empty">Nothing else was told of it.</p>
        ) : (
          <Values label="Other info" values={otherinfo} />
        )}
      </Panel>
    </>
  );
}

/** A filter with one value is that value. */
const firstOf = (filters: Readonly<Record<string, readonly Published[]>>): Record<string, Published> =>
  Object.fromEntries(Object.entries(filters).map(([name, values]) => [name, values.length === 1 ? (values[0] ?? null) : values]));

/** Who may read and write what is in a domain. */
function Domain({ id }: { readonly id: string }) {
  const { data: domain, error } = useAnswer(domainQuery(id));
  if (error || !domain) return id;
  const words = [
    domain.owner && `of ${domain.owner}`,
    `read by ${domain.readers?.trim() === '*' ? 'everybody' : domain.readers?.trim() || 'nobody else'}`,
    `written by ${domain.writers?.trim() === '*' ? 'everybody' : domain.writers?.trim() || 'nobody else'}`,
  ].filter(Boolean);
  return (
    <>
      {id}{' '}
      <span className="quiet">
        {domain.description && `${domain.description}; `}
        {words.join(', ')}
      </span>
    </>
  );
}
