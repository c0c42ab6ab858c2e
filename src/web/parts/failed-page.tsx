// What stands in place of a page whose answer did not come: the page still says which one it is.
import { PageHead } from './basics.tsx';
import { Problem, type ProblemProps } from './problem.tsx';

export const FailedPage = ({ title, ...problem }: ProblemProps & { readonly title: string }) => (
  <>
    <PageHead title={title} />
    <Problem {...problem} />
  </>
);
