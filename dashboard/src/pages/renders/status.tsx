// How far a render is, if it is not done.
import type { Render } from '#console/views.ts';
import { Chip } from '#app/parts/states.tsx';

export function StatusChip({ status }: { status: Exclude<Render['status'], 'done'> }) {
  if (status === 'failed') return <Chip tone="danger">Failed</Chip>;
  return <Chip>{texts[status]}</Chip>;
}

const texts = { queued: 'Queued', running: 'Running', canceled: 'Canceled' };
