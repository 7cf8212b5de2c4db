// What the keys do.
import { Dialog } from '#app/parts/dialog.tsx';

const keys: [keys: string[], what: string][] = [
  [['Ctrl', 'K'], 'Go to a page, an upload or a render'],
  [['/'], 'Search in the list'],
  [['u'], 'Upload files'],
  [['g', 'o'], 'Overview'],
  [['g', 'u'], 'Uploads'],
  [['g', 'a'], 'Albums'],
  [['g', 'r'], 'Renders'],
  [['g', 'p'], 'Playground'],
  [['g', 'k'], 'API keys'],
  [['g', 'l'], 'Request log'],
  [['←', '→'], 'Previous and next, in the details of an upload or a render'],
  [['?'], 'This list'],
];

export function ShortcutList({ onClose }: { onClose: () => void }) {
  return (
    <Dialog title="Keyboard shortcuts" onClose={onClose}>
      <dl className="divide-y divide-line text-sm">
        {keys.map(([pressed, what]) => (
          <div key={what} className="flex items-center justify-between gap-4 py-1.5">
            <dt>{what}</dt>
            <dd className="flex shrink-0 gap-1">
              {pressed.map((key) => (
                <kbd key={key} className="rounded-md border bg-sunken px-2 py-0.5 font-mono text-xs">
                  {key}
                </kbd>
              ))}
            </dd>
          </div>
        ))}
      </dl>
    </Dialog>
  );
}
