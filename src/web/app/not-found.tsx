import { Link } from '@tanstack/react-router';
import { PageHead } from '../parts/basics.tsx';

/** An address without a page. */
export const NotFound = () => (
  <>
    <PageHead title="There is no such page" />
    <p>
      The address leads nowhere on this server. <Link to="/">Go to the overview</Link>, or press <kbd>?</kbd> for what there is.
    </p>
  </>
);
