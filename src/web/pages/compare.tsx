// Two finished jobs side by side.
import { useSearchState } from '../app/address.ts';
import { Comparison } from '../jobs/comparison.tsx';
import { JobChoice } from '../jobs/job-choice.tsx';
import { PageHead } from '../parts/basics.tsx';
import '../jobs/jobs.css';

export default function Compare() {
  const [{ a = '', b = '' }, setSearch] = useSearchState();
  return (
    <>
      <PageHead title="Two jobs compared">
        {a !== '' && b !== '' && (
          <button type="button" onClick={() => setSearch({ a: b, b: a })}>
            Swap
          </button>
        )}
      </PageHead>
      <div className="grid">
        <JobChoice label="First job" chosen={a} like={b} onChoose={(id) => setSearch({ a: id })} />
        <JobChoice label="Second job" chosen={b} like={a} onChoose={(id) => setSearch({ b: id })} />
      </div>
      {a !== '' && b !== '' && <Comparison key={`${a} ${b}`} a={a} b={b} />}
    </>
  );
}
