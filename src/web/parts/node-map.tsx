// Nodes as a map: how full each is, and in clusters of a few machines which application fills what of it.
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useMemo, useState } from 'react';
import { placementQuery } from '../api/nodes.ts';
import { useSearchState } from '../app/address.ts';
import { amountOf, counted, percent, shareOf, typeWord } from '../format/amounts.ts';
import { named } from '../format/names.ts';
import { byPartition, type ClusterNode, givenOf, shortNames } from '../format/nodes.ts';
import { isPlaced, type PlacedApplication, placedApplications, type Segment, segmentsOf } from '../format/placement.ts';
import { kindOf, wordOf } from '../format/states.ts';
import { ApplicationLink, Shape } from './basics.tsx';
import { Facet } from './facet.tsx';
import './node-map.css';

/** Up to so many nodes have their names below them, and show what fills them. */
const mostNamed = 60;
/** So many applications are offered to choose from. */
const mostChoices = 50;

interface MapProps {
  readonly nodes: readonly ClusterNode[];
  readonly type: string;
  readonly empty: string;
}

export function NodeMap({ nodes, type, empty }: MapProps) {
  const [search, setSearch] = useSearchState();
  const [pointed, setPointed] = useState<string>();
  const isDetailed = nodes.length <= mostNamed && isPlaced(type);
  const { data } = useQuery({ ...placementQuery, enabled: isDetailed });
  const placed = useMemo(() => new Map(isDetailed ? data?.nodes.map((node) => [node.id, node]) : []), [data, isDetailed]);
  const applications = useMemo(
    () => (data && isDetailed ? placedApplications(data, new Set(nodes.map(({ id }) => id)), type) : []),
    [data, isDetailed, nodes, type],
  );
  if (nodes.length === 0) return <p className="empty">{empty}</p>;
  const chosen = isDetailed ? search['application'] : undefined;
  const meant = pointed ?? chosen;
  const groups = byPartition(nodes);
  const nameOf = shortNames(nodes);
  return (
    <>
      {!isDetailed && (
        <p className="heat-legend">
          <span>0 %</span>
          <i aria-hidden="true" />
          <span>100 % of {typeWord(type)} given away</span>
        </p>
      )}
      {(applications.length > 0 || chosen !== undefined) && (
        <div className="inline">
          <Facet
            label="Application"
            chosen={chosen}
            values={applications.slice(0, mostChoices).map(({ id, name, containers }) => ({
              name: id,
              word: `${named(name)} ${id.replace(/^application_/, '')}`,
              count: containers,
            }))}
            onChange={(application) => setSearch({ application })}
          />
          <span className="heat-words" role="status">
            <Words application={applications.find(({ id }) => id === meant)} type={type} isMeant={meant !== undefined} />
          </span>
        </div>
      )}
      {groups.map(([label, list]) => {
        const sum = (part: 'used' | 'total') => list.reduce((total, node) => total + (node.isAway ? 0 : (node[part][type] ?? 0)), 0);
        return (
          <section key={label} className="panel" aria-label={label === '' ? 'Nodes without label' : `Nodes of ${label}`}>
            <header>
              <h2>{label === '' ? (groups.length === 1 ? 'All nodes' : 'Without label') : label}</h2>
              <span className="quiet">
                {counted(list.length, 'node')} · {amountOf(type, sum('used'))} of {amountOf(type, sum('total'))} given away,{' '}
                {percent(shareOf(sum('used'), sum('total')))}
              </span>
            </header>
            <ul className={nodes.length <= mostNamed ? 'heat named' : 'heat'}>
              {list.map((node) => {
                const placement = placed.get(node.id);
                return (
                  <Tile
                    key={node.id}
                    node={node}
                    name={nameOf(node)}
                    type={type}
                    isNamed={nodes.length <= mostNamed}
                    segments={placement ? segmentsOf(placement, type, node.total[type] ?? 0) : []}
                    meant={meant}
                    onPoint={setPointed}
                  />
                );
              })}
            </ul>
          </section>
        );
      })}
    </>
  );
}

/** What is pointed at or chosen, in words. */
function Words({
  application,
  type,
  isMeant,
}: {
  readonly application: PlacedApplication | undefined;
  readonly type: string;
  readonly isMeant: boolean;
}) {
  if (!application)
    return isMeant ? 'It has nothing on these nodes.' : 'Point at a part of a node, or choose an application, to see where it is.';
  const { id, name, user, queue, containers, nodes, memoryMiB, vcores } = application;
  return (
    <>
      {name !== '' && <b>{name} </b>}
      <ApplicationLink id={id} short /> of {user} in {queue}: {counted(containers, 'container')} on {counted(nodes, 'node')},{' '}
      {amountOf(type, type === 'vcores' ? vcores : memoryMiB)}
    </>
  );
}

interface TileProps {
  readonly node: ClusterNode;
  readonly name: string;
  readonly type: string;
  readonly isNamed: boolean;
  readonly segments: readonly Segment[];
  /** The application that is pointed at or chosen. */
  readonly meant: string | undefined;
  readonly onPoint: (applicationId: string | undefined) => void;
}

function Tile({ node, name, type, isNamed, segments, meant, onPoint }: TileProps) {
  const share = givenOf(node, type);
  const has = (node.total[type] ?? 0) > 0;
  const isFine = node.state === 'RUNNING';
  const isFilled = isFine && segments.length > 0;
  const words = isFine
    ? has
      ? `${percent(share)} of ${amountOf(type, node.total[type] ?? 0)}`
      : `has no ${typeWord(type)}`
    : wordOf(node.state);
  return (
    <li>
      <Link
        to={`/nodes/${encodeURIComponent(node.id)}`}
        title={`${node.id}: ${words}`}
        {...(!isNamed && { 'aria-label': `${node.id}: ${words}` })}
      >
        <span
          className={`heat-tile is-${isFine ? 'fine' : kindOf(node.state)}${isFilled ? ' is-filled' : ''}${meant === undefined ? '' : ' is-narrowed'}`}
          style={{ ['--share' as string]: has && !node.isAway ? `${Math.round(8 + share * 92)}%` : '0%' }}
          onPointerLeave={() => onPoint(undefined)}
        >
          {!isFine && <Shape kind={kindOf(node.state)} />}
          {isFilled &&
            segments.map(({ applicationId, share: part }) => (
              <i
                key={applicationId ?? ''}
                className={applicationId === undefined ? 'is-hidden' : applicationId === meant ? 'is-meant' : ''}
                style={{ width: `${100 * part}%` }}
                onPointerEnter={() => onPoint(applicationId)}
              />
            ))}
        </span>
        {isNamed && (
          <span className="heat-name">
            {name}
            <small>{words}</small>
          </span>
        )}
      </Link>
    </li>
  );
}
