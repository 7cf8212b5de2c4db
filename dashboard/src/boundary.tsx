// Error boundary: if a page fails or cannot be loaded, the frame around it stays and a message says what to do.
import { Component, type ReactNode } from 'react';
import { Button } from '#app/parts/button.tsx';
import { useTitle } from '#app/parts/page.tsx';

/**
 * For a page whose code did not load. An upgrade of the service removes the old file, and a reload loads the new version.
 * If the service still runs this version, or does not answer, a reload would not help, so the error is thrown again.
 */
export async function renewIfOutdated(reason: unknown): Promise<never> {
  const own = document.querySelector<HTMLScriptElement>('script[type="module"]')?.getAttribute('src');
  const current = await currentPage();
  if (typeof own !== 'string' || current === '' || current.includes(own)) throw reason;
  location.reload();
  return new Promise<never>(() => {});
}

async function currentPage(): Promise<string> {
  try {
    const response = await fetch('/dashboard', { cache: 'no-store' });
    return response.ok ? await response.text() : '';
  } catch {
    return '';
  }
}

export class Boundary extends Component<{ children: ReactNode }, { error: Error | null }> {
  override state = { error: null };

  static getDerivedStateFromError(error: Error): { error: Error } {
    return { error };
  }

  override render(): ReactNode {
    return this.state.error === null ? this.props.children : <Broken />;
  }
}

function Broken() {
  useTitle('Not loaded');
  return (
    <div role="alert" className="card grid justify-items-start gap-3 p-6">
      <h1 className="font-serif text-lg font-semibold">This page could not be loaded</h1>
      <p className="text-quiet">
        The connection may have broken, or the service may have been upgraded. Reload to try again.
      </p>
      <Button icon="refresh" onClick={() => location.reload()}>
        Reload
      </Button>
    </div>
  );
}
