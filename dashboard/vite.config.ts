// Builds the dashboard into static files that console/ serves under /dashboard/. Nothing is inlined: the pages' content
// security policy allows neither inline script nor inline style.
import tailwindcss from '@tailwindcss/vite';
import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';

export default defineConfig({
  root: import.meta.dirname,
  base: '/dashboard/',
  plugins: [react(), tailwindcss()],
  build: {
    outDir: 'dist',
    emptyOutDir: true,
    manifest: true,
    // The licenses of all bundled packages, in dist/.vite/license.md.
    license: true,
    // pdf.js, loaded when there is a PDF to show. A test guards the size of the first load.
    chunkSizeWarningLimit: 520,
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    target: 'es2022',
  },
  // For work on the pages alone: a service on its usual port answers what is not a page.
  server: { proxy: { '^/(api|f|i|s|p|docs|assets)/': 'http://localhost:3000' } },
});
