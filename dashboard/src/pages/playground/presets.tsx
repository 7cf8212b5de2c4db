// Common viewport sizes, one click each.
import type { Field, Values } from '#app/pages/playground/fields.ts';

const presets = [
  { name: 'Phone', width: 390, height: 844 },
  { name: 'Tablet', width: 820, height: 1180 },
  { name: 'Desktop', width: 1440, height: 900 },
  { name: 'Social card', width: 1200, height: 630 },
];

export function Presets({
  fields,
  values,
  onValues,
}: {
  fields: Field[];
  values: Values;
  onValues: (values: Values) => void;
}) {
  const pathOf = (side: string) => fields.find(({ path }) => [side, `viewport.${side}`].includes(path))!.path;
  const [width, height] = [pathOf('width'), pathOf('height')];
  return (
    <div role="group" aria-label="Viewport presets" className="grid grid-cols-2 gap-2">
      {presets.map((preset) => {
        const isChosen = values[width] === preset.width && values[height] === preset.height;
        return (
          <button
            key={preset.name}
            type="button"
            aria-pressed={isChosen}
            onClick={() => onValues({ ...values, [width]: preset.width, [height]: preset.height })}
            className={`rounded-[9px] border px-3 py-1.5 text-left text-sm transition ${isChosen ? 'border-accent bg-accent-soft' : 'border-edge/60 hover:border-quiet'}`}
          >
            <span className="block font-medium">{preset.name}</span>
            <span className="block text-xs text-quiet tabular-nums">
              {preset.width} × {preset.height}
            </span>
          </button>
        );
      })}
    </div>
  );
}
