// The web pages begin here.
import { QueryClientProvider } from '@tanstack/react-query';
import { RouterProvider } from '@tanstack/react-router';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { callerQuery, frameQuery } from './api/frame.ts';
import { queryClient } from './api/query-client.ts';
import { router } from './app/router.tsx';
import { applyTheme } from './app/theme.ts';
// Lazy pages bring sheets of their own, which come after these.
import './styles/tokens.css';
import './styles/base.css';
import './styles/frame.css';
import './styles/parts.css';
import './styles/tables.css';
import './styles/dialogs.css';

// Relative to the page that was opened first; browsers look at them again on others.
for (const link of document.querySelectorAll('link')) link.setAttribute('href', link.href);
applyTheme();
// Every page needs both: they come while its scripts do.
for (const query of [frameQuery, callerQuery]) void queryClient.prefetchQuery<unknown>(query as never);
const root = document.getElementById('root');
if (root)
  createRoot(root).render(
    <StrictMode>
      <QueryClientProvider client={queryClient}>
        <RouterProvider router={router} />
      </QueryClientProvider>
    </StrictMode>,
  );
