// Asks for confirmation before renders are deleted.
import type { Render } from '#http/dashboard/views.ts';
import { limits } from '#core/limits.ts';
import { plural, span } from '#app/format.ts';
import { nameOf } from '#app/pages/renders/names.ts';
import { Confirm } from '#app/parts/dialog.tsx';
import { useDelete } from '#app/parts/use-delete.ts';

const shownAtMost = 8;

export function DeleteRenders({
  renders,
  onDeleted,
  onClose,
}: {
  renders: Render[];
  onDeleted: () => void;
  onClose: () => void;
}) {
  const remove = useDelete('render', onDeleted);
  const isOne = renders.length === 1;
  const units = renders.reduce((sum, render) => sum + render.units, 0);
  return (
    <Confirm
      title={isOne ? 'Delete this render?' : `Delete ${plural(renders.length, 'render')}?`}
      action={isOne ? 'Delete it' : `Delete ${plural(renders.length, 'render')}`}
      of={remove}
      onConfirm={() => remove.mutate(renders.map(({ id }) => id))}
      onClose={onClose}
    >
      <ul className="grid gap-1 text-sm text-ink">
        {renders.slice(0, shownAtMost).map((render) => (
          <li key={render.id} className="truncate">
            {nameOf(render)}
          </li>
        ))}
        {renders.length > shownAtMost && <li>and {renders.length - shownAtMost} more</li>}
      </ul>
      <p>
        {renders.some(({ url }) => url !== null) &&
          'Links stop working at once; browsers that showed a picture may keep their copy for up to five minutes. '}
        You can restore {isOne ? 'it' : 'them'} for {span(limits.restorableMs / 1000)}.
        {units > 0 && ` ${units === 1 ? 'The unit it used stays' : 'The units they used stay'} used.`}
      </p>
    </Confirm>
  );
}
