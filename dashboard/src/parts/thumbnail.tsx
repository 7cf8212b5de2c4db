// The small picture of an upload in lists.
import type { Upload } from '#console/views.ts';
import { sameOrigin } from '#app/api.ts';

/** Of a higher picture the top is shown: the whole of it would be only a few pixels wide. */
const maxRatio = 3;

export function Thumbnail({ upload: { thumbnail_url, width, height } }: { upload: Upload }) {
  const isTall = width !== null && height !== null && height > maxRatio * width;
  return (
    <img
      src={sameOrigin(thumbnail_url)}
      alt=""
      loading="lazy"
      decoding="async"
      className={`aspect-4/3 w-full ${isTall ? 'object-cover object-top' : 'object-scale-down'}`}
    />
  );
}
