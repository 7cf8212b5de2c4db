// What was not as it should be while a page was rendered.
import type { AnswerOf } from '#console/handlers.ts';

export function Warnings({ warnings }: Pick<AnswerOf<'GET /renders/:id/receipt'>, 'warnings'>) {
  return (
    <ul aria-label="Warnings" className="grid gap-2 text-sm">
      {warnings.map(({ code, message, url }, index) => (
        <li key={index} className="rounded-[9px] bg-warn-soft px-3 py-2 wrap-anywhere">
          <code className="font-mono text-xs text-warn">{code}</code> {message}
          {url !== null && <span className="block text-quiet">{url}</span>}
        </li>
      ))}
    </ul>
  );
}
