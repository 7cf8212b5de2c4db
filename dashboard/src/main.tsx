// Entry point: mounts the app with its query client.
import { QueryClientProvider } from '@tanstack/react-query';
import { createRoot } from 'react-dom/client';
import { queries } from '#app/api.ts';
import { App } from '#app/app.tsx';
import { startTheme } from '#app/theme.ts';
import '#app/styles.css';

startTheme();

createRoot(document.getElementById('root')!).render(
  <QueryClientProvider client={queries}>
    <App />
  </QueryClientProvider>,
);
