// What a container or a node really used over the last minutes, beside what it was given or has.
import { type UseQueryResult, useQuery } from '@tanstack/react-query';
import { type ReactNode, useMemo } from 'react';
import type { ContainerUsage, NodeUsage } from '../../wire/node/usage.ts';
import { containerUseQuery } from '../api/use.ts';
import { cores, memory } from '../format/amounts.ts';
import { Empty, Panel } from './basics.tsx';
import { Chart, type Line } from './chart.tsx';
import { Loading } from './problem.tsx';

interface Drawn {
  readonly times: readonly number[];
  readonly memory: readonly Line[];
  readonly cores: readonly Line[];
}

/** A line at one height; none where that is not known. */
const level = (label: string, value: number | undefined, samples: readonly unknown[]): readonly Line[] =>
  value === undefined ? [] : [{ label, colour: '--stop', isDashed: true, values: samples.map(() => value) }];

/** As high as a chart, until it is known what it shows. */
const ChartInPlace = () => (
  <div className="chart-in-place">
    <Loading />
  </div>
);

/** The two charts, or why there are none. */
function Charts({
  asked: { error, isPending },
  drawn,
  beside,
}: {
  readonly asked: Pick<UseQueryResult, 'error' | 'isPending'>;
  readonly drawn: Drawn | undefined;
  readonly beside?: ReactNode;
}) {
  if (isPending)
    return (
      <div className="grid charts">
        <Panel title="Memory it uses" aside={beside}>
          <ChartInPlace />
        </Panel>
        <Panel title="Cores it uses">
          <ChartInPlace />
        </Panel>
      </div>
    );
  if (error || !drawn || drawn.times.length < 2)
    return (
      <Panel title="What it uses" aside={beside}>
        {error ? (
          <Empty>What it uses is not known: {error.message}</Empty>
        ) : (
          <Empty>Its node looks every few seconds: there is nothing to show yet.</Empty>
        )}
      </Panel>
    );
  return (
    <div className="grid charts">
      <Panel title="Memory it uses" aside={beside}>
        <Chart label="Memory" times={drawn.times} lines={drawn.memory} show={memory} measured="memory" />
      </Panel>
      <Panel title="Cores it uses">
        <Chart label="Cores" times={drawn.times} lines={drawn.cores} show={cores} measured="fine" />
      </Panel>
    </div>
  );
}

/** Of one container. `beside`: what stands at the head of the panel. */
export function ContainerUse({ id, beside }: { readonly id: string; readonly beside?: ReactNode }) {
  const asked = useQuery(containerUseQuery(id));
  const { data } = asked;
  return <Charts asked={asked} drawn={useMemo(() => data && ofContainer(data), [data])} beside={beside} />;
}

function ofContainer({ samples, memoryMiB, vcores }: ContainerUsage): Drawn {
  const used = (values: readonly number[]): Line => ({ label: 'used', colour: '--run', isFilled: true, values });
  return {
    times: samples.map(({ timeMs }) => timeMs),
    memory: [used(samples.map((sample) => sample.memoryMiB)), ...level('given', memoryMiB, samples)],
    cores: [used(samples.map((sample) => sample.cpuCores)), ...level('given', vcores, samples)],
  };
}

/** Of a node: the whole machine, and of that the containers. */
export function NodeUse({ asked }: { readonly asked: UseQueryResult<NodeUsage> }) {
  const { data } = asked;
  return <Charts asked={asked} drawn={useMemo(() => data && ofNode(data), [data])} />;
}

function ofNode({ samples, memoryMiB, cores: all }: NodeUsage): Drawn {
  const lines = (containers: readonly number[], machine: readonly number[], has: number): readonly Line[] => [
    { label: 'containers', colour: '--run', isFilled: true, values: containers },
    { label: 'the whole machine', colour: '--third', values: machine },
    ...level('there', has, samples),
  ];
  return {
    times: samples.map(({ timeMs }) => timeMs),
    memory: lines(
      samples.map((sample) => sample.containersMemoryMiB),
      samples.map((sample) => sample.memoryMiB),
      memoryMiB,
    ),
    cores: lines(
      samples.map((sample) => sample.containersCpuCores),
      samples.map((sample) => sample.cpuCores),
      all,
    ),
  };
}
