// Entry point: mounts the app with its query client. The frame in index.html stays until it is known who is signed in.
import { QueryClientProvider } from '@tanstack/react-query';
import { createRoot } from 'react-dom/client';
import { queries } from '#app/api.ts';
import { App } from '#app/app.tsx';
import { sessionQuery } from '#app/session.ts';
import { startTheme } from '#app/theme.ts';
import '#app/styles.css';

startTheme();

const mount = (): void =>
  createRoot(document.getElementById('root')!).render(
    <QueryClientProvider client={queries}>
      <App />
    </QueryClientProvider>,
  );
// An error is shown by the app.
void queries.query(sessionQuery).then(mount, mount);
