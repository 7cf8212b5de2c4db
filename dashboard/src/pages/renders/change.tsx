// What has changed in a picture since the one that it was compared with: how much, and where, with what is around it.
import type { AnswerOf } from '#console/handlers.ts';
import { sameOrigin } from '#app/api.ts';

type Output = AnswerOf<'GET /renders/:id/receipt'>['outputs'][number];

const marginPx = 60;

export function Change({ output }: { output: Output }) {
  const { difference, changed_box: box, url, width, height } = output;
  if (difference === null) return null;
  if (box === null) return <p className="text-sm text-quiet">Nothing has changed.</p>;
  const percent = (difference * 100).toLocaleString('en', { maximumSignificantDigits: 2 });
  const words = `${percent} % of the pixels have changed`;
  const around = [box.x - marginPx, box.y - marginPx, box.width + 2 * marginPx, box.height + 2 * marginPx];
  return (
    <figure className="grid gap-2 text-sm">
      {url !== null && (
        <svg
          viewBox={around.join(' ')}
          role="img"
          aria-label={`${words}, in a box of ${box.width} x ${box.height} at ${box.x}, ${box.y}`}
          className="max-h-96 w-full rounded-[10px] border checkered"
        >
          <image href={sameOrigin(url)} width={width ?? 0} height={height ?? 0} />
          <rect
            x={box.x}
            y={box.y}
            width={box.width}
            height={box.height}
            fill="none"
            stroke="#e11d48"
            strokeWidth={2}
            vectorEffect="non-scaling-stroke"
          />
        </svg>
      )}
      <figcaption className="text-quiet">{words}.</figcaption>
    </figure>
  );
}
