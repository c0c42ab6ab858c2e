// The first page of a server that has no overview of its own yet: what it is, and where the cluster is.
import { useQuery } from '@tanstack/react-query';
import { otherServer } from '../api/base.ts';
import { frameQuery, useCaller } from '../api/frame.ts';
import { Facts, PageHead, Panel } from '../parts/basics.tsx';

const words = {
  'resource-manager': ['Resource manager', '/cluster'],
  'node-manager': ['Node manager', '/node'],
  timeline: ['Timeline', '/applicationhistory'],
  history: ['Job history', '/jobhistory'],
  proxy: ['Web proxy', ''],
} as const;

export default function ServerHome() {
  const { data: frame } = useQuery(frameQuery);
  const caller = useCaller();
  if (!frame) return null;
  const [title, pages] = words[frame.role];
  const manager = caller?.servers['resource-manager'];
  return (
    <>
      <PageHead title={title} />
      <Panel title="This server">
        <Facts
          rows={[
            ['Version', frame.version],
            ...(manager === undefined
              ? []
              : [
                  [
                    'The cluster',
                    <a key="cluster" href={`${otherServer(manager)}/ui/`}>
                      {otherServer(manager)}
                    </a>,
                  ] as const,
                ]),
            ...(pages === ''
              ? []
              : [
                  [
                    'Plain pages',
                    <a key="pages" href={`..${pages}`}>
                      {pages}
                    </a>,
                  ] as const,
                ]),
            [
              'Interface',
              <a key="interface" href="../openapi.json">
                /openapi.json
              </a>,
            ],
          ]}
        />
      </Panel>
    </>
  );
}
