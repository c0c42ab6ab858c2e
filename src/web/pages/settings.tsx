// Every setting of this server: what it is, what it would be, where its value comes from, what it does.

import { useMemo } from 'react';
import type { SettingFacts, SettingsAnswer } from '../../wire/cluster/setting-facts.ts';
import { getJson } from '../api/http.ts';
import { useAnswer } from '../api/use-answer.ts';
import { useSearchState } from '../app/address.ts';
import { counted } from '../format/amounts.ts';
import { bySection, filterSettings, originOf } from '../format/settings.ts';
import { Empty, PageHead, Panel, Sentence } from '../parts/basics.tsx';
import { FailedPage } from '../parts/failed-page.tsx';
import { Filter } from '../parts/filter.tsx';
import { Loading } from '../parts/problem.tsx';
import './settings.css';

const origins = [
  ['', 'all'],
  ['file', 'files'],
  ['environment', 'environment'],
  ['command', 'command line'],
  ['default', 'defaults'],
] as const;

export default function Settings() {
  const [search, setSearch] = useSearchState();
  const { data, error, refetch } = useAnswer({
    queryKey: ['settings'],
    queryFn: ({ signal }) => getJson<SettingsAnswer>('ui/settings.json', signal),
    staleTime: 60_000,
    refetchInterval: false,
  });
  const shown = useMemo(
    () => filterSettings(data?.settings ?? [], { search: search['search'], from: search['from'] }),
    [data, search['search'], search['from']],
  );
  if (error) return <FailedPage title="Settings" error={error} retry={() => void refetch()} />;
  if (!data) return <Loading />;
  const { set, others } = bySection(shown);
  return (
    <>
      <PageHead title="Settings" beside={<span className="quiet">{counted(shown.length, 'setting')} of this server</span>} />
      <Filter
        choices={{ name: 'from', label: 'Where values come from', options: origins }}
        fields={[{ name: 'search', label: 'Name, meaning, value', isSearch: true }]}
        values={search}
        onChange={setSearch}
      />
      {data.notes.length > 0 && (
        <Panel title="Said at the start">
          <ul className="setting-notes">
            {data.notes.map((note) => (
              <li key={note}>{note}</li>
            ))}
          </ul>
        </Panel>
      )}
      {shown.length === 0 && <Empty>No setting passes the filter.</Empty>}
      {set.length > 0 && <Section title="Set for this cluster" settings={set} />}
      {others.map(([part, list]) => (
        <Section key={part} title={`Defaults: ${part.replaceAll('-', ' ')}`} settings={list} />
      ))}
    </>
  );
}

function Section({ title, settings }: { readonly title: string; readonly settings: readonly SettingFacts[] }) {
  return (
    <Panel title={title} aside={<span className="quiet">{counted(settings.length, 'setting')}</span>}>
      <ul className="settings">
        {settings.map((setting) => (
          <One key={setting.key} setting={setting} />
        ))}
      </ul>
    </Panel>
  );
}

function One({ setting }: { readonly setting: SettingFacts }) {
  const { key, about, type, source, environment, isFinal, isReloadable } = setting;
  const isSet = originOf(setting) !== 'default';
  return (
    <li>
      <h3>
        <code>{key}</code>
        {isReloadable && (
          <span className="tag" title="A change takes effect without a restart">
            reloadable
          </span>
        )}
      </h3>
      <p className="setting-value">
        <Value setting={setting} />
        {isSet && (
          <span className="quiet">
            from {source}
            {isFinal && ', final'}
          </span>
        )}
      </p>
      <p className="quiet">
        <Sentence text={about} /> {type !== undefined && <>Read as {type}.</>}{' '}
        {environment !== undefined && !isSet && <>Variable: {environment}.</>}
      </p>
    </li>
  );
}

/** The value, and the default where it is another. */
function Value({ setting }: { readonly setting: SettingFacts }) {
  const { value, default: standard, isHidden, source } = setting;
  const isSet = originOf(setting) !== 'default';
  return (
    <>
      {isHidden ? (
        <span title="Values of secrets are not shown to anybody">hidden: it is a secret</span>
      ) : value === undefined ? (
        <span className="quiet">{source}</span>
      ) : value === '' ? (
        <span className="quiet">empty</span>
      ) : (
        <code>{value}</code>
      )}
      {isSet && !isHidden && value !== standard && (
        <span className="quiet">{standard === undefined || standard === '' ? 'no default' : `default ${standard}`}</span>
      )}
      {isSet && value === standard && <span className="quiet">as by default</span>}
    </>
  );
}
