// The first page of a server without anything of its own to show, the web proxy: what it is, and where the cluster is.
import { useQuery } from '@tanstack/react-query';
import { otherServer } from '../api/base.ts';
import { frameQuery, useCaller } from '../api/frame.ts';
import { Facts, PageHead, Panel } from '../parts/basics.tsx';

export default function ServerHome() {
  const { data: frame } = useQuery(frameQuery);
  const manager = useCaller()?.servers['resource-manager'];
  if (!frame) return null;
  return (
    <>
      <PageHead title="Web proxy" />
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
          ]}
        />
      </Panel>
    </>
  );
}
