// One entity of version 2 of the timeline.

import { Link } from '@tanstack/react-router';
import { toldEntityQuery } from '../api/flows.ts';
import { useAnswer } from '../api/use-answer.ts';
import { useSearchState } from '../app/address.ts';
import { Ago, Copy, Facts, PageHead } from '../parts/basics.tsx';
import { FailedPage } from '../parts/failed-page.tsx';
import { Loading } from '../parts/problem.tsx';
import { ToldParts } from '../timeline/told.tsx';
import '../timeline/timeline.css';

export default function FlowEntity() {
  const [{ uid = '' }] = useSearchState();
  const { data: entity, error, refetch } = useAnswer(toldEntityQuery(uid));
  if (error && !entity)
    return <FailedPage title={uid} error={error} retry={() => void refetch()} list={{ to: '/flows', title: 'All flows' }} />;
  if (!entity) return <Loading />;
  const application = /!(application_\d+_\d+)!/.exec(uid)?.[1];
  return (
    <>
      <PageHead title={entity.id} beside={<Copy text={entity.id} />} />
      <Facts
        rows={[
          ['Type', entity.type],
          ['Began', <Ago key="began" ms={entity.createdtime ?? 0} none="not known" />],
          ...(application
            ? [
                [
                  'Application',
                  <Link key="application" className="id" to="/flows/application" search={{ id: application, type: entity.type } as never}>
                    {application}
                  </Link>,
                ] as const,
              ]
            : []),
        ]}
      />
      <ToldParts told={entity} />
    </>
  );
}
