// Asks for confirmation before renders are deleted.
import type { Render } from '#console/views.ts';
import { limits } from '#core/limits.ts';
import { number, plural, span } from '#app/format.ts';
import { nameOf } from '#app/pages/renders/names.ts';
import { Confirm } from '#app/parts/dialog.tsx';
import { useDelete } from '#app/parts/use-delete.ts';

const shownAtMost = 8;

export function DeleteRenders({
  ids,
  renders,
  onDeleted,
  onClose,
}: {
  ids: string[];
  /** Those of them that are loaded. */
  renders: Render[];
  onDeleted: () => void;
  onClose: () => void;
}) {
  const remove = useDelete('render', onDeleted);
  const isOne = ids.length === 1;
  const isLoaded = ids.length === renders.length;
  const shown = renders.slice(0, shownAtMost);
  const units = renders.reduce((sum, render) => sum + render.units, 0);
  return (
    <Confirm
      title={isOne ? 'Delete this render?' : `Delete ${plural(ids.length, 'render')}?`}
      action={isOne ? 'Delete it' : `Delete ${plural(ids.length, 'render')}`}
      of={remove}
      onConfirm={() => remove.mutate(ids)}
      onClose={onClose}
    >
      <ul className="grid gap-1 text-sm text-ink">
        {shown.map((render) => (
          <li key={render.id} className="truncate">
            {nameOf(render)}
          </li>
        ))}
        {ids.length > shown.length && <li>and {number(ids.length - shown.length)} more</li>}
      </ul>
      <p>
        {(!isLoaded || renders.some(({ url }) => url !== null)) &&
          'Links stop working at once; browsers that showed a picture may keep their copy for up to five minutes. '}
        You can restore {isOne ? 'it' : 'them'} for {span(limits.restorableMs / 1000)}.
        {(!isLoaded || units > 0) &&
          ` ${isLoaded && units === 1 ? 'The unit it used stays' : 'The units they used stay'} used.`}
      </p>
    </Confirm>
  );
}
