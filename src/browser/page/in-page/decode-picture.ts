// Decodes a picture in a page and sends back its pixels, or a JPEG of them. Everything that reads the stranger's bytes happens here, in a process that has neither
// files nor a network.

/** As it is shown: `1280 720`, or nothing if it cannot be read. */
export async function measurePicture(address: string): Promise<string> {
  const image = new Image();
  image.src = address;
  const isRead = await new Promise<boolean>((resolve) => {
    image.addEventListener('load', () => resolve(true));
    image.addEventListener('error', () => resolve(false));
  });
  return isRead ? `${image.naturalWidth} ${image.naturalHeight}` : '';
}

/**
 * `width` and `height` are those of the picture as shown, `toWidth` and `toHeight` those that are wanted. Returns `sent`, or why it has not
 * sent them.
 */
export async function decodePicture(
  address: string,
  contentType: string,
  background: string | null,
  jpegQuality: number | null,
  width: number,
  height: number,
  toWidth: number,
  toHeight: number,
): Promise<string> {
  const canvas = document.createElement('canvas');
  Object.assign(canvas, { width: toWidth, height: toHeight });
  const context = canvas.getContext('2d', { willReadFrequently: true })!;
  context.imageSmoothingQuality = 'medium';
  if (background !== null) {
    context.fillStyle = background;
    context.fillRect(0, 0, toWidth, toHeight);
  }
  const isDrawing = contentType === 'image/svg+xml';
  const frame = isDrawing ? undefined : await decode().catch(() => undefined);
  if (frame === 'animated') return frame;
  const image = frame ?? (await load());
  if (!image) return 'unreadable';
  await draw(image);
  const body =
    jpegQuality === null ? context.getImageData(0, 0, toWidth, toHeight).data : await jpeg(jpegQuality);
  // The page is used again.
  canvas.width = 0;
  const { ok } = await fetch(address, { method: 'PUT', body });
  return ok ? 'sent' : 'too_large';

  function jpeg(quality: number): Promise<Blob | null> {
    return new Promise((resolve) => canvas.toBlob(resolve, 'image/jpeg', quality));
  }

  /** A JPEG in an eighth of its size costs a quarter of the whole: so in the smallest size that has enough pixels. */
  function reduced(): { desiredWidth?: number; desiredHeight?: number } {
    const eighths = Math.ceil((8 * toWidth) / width);
    if (contentType !== 'image/jpeg' || eighths >= 8) return {};
    // The decoder takes the largest size that is not above this one.
    const side = (pixels: number): number => Math.ceil((pixels * eighths) / 8) + 2;
    return { desiredWidth: side(width), desiredHeight: side(height) };
  }

  async function decode(): Promise<VideoFrame | 'animated'> {
    const data = await (await fetch(address)).arrayBuffer();
    const decoder = new ImageDecoder({ data, type: contentType, transfer: [data], ...reduced() });
    try {
      await Promise.all([decoder.tracks.ready, decoder.completed]);
      if ((decoder.tracks.selectedTrack?.frameCount ?? 0) > 1) return 'animated';
      return (await decoder.decode()).image;
    } finally {
      decoder.close();
    }
  }

  /** Shows what there is of a damaged picture too. */
  async function load(): Promise<HTMLImageElement | undefined> {
    const loaded = new Image();
    loaded.src = address;
    const isRead = await new Promise<boolean>((resolve) => {
      loaded.addEventListener('load', () => resolve(true));
      loaded.addEventListener('error', () => resolve(false));
    });
    return isRead ? loaded : undefined;
  }

  async function draw(source: VideoFrame | HTMLImageElement): Promise<void> {
    const isFrame = 'close' in source;
    // A third faster for pixels that are stored as colours, as those of a PNG are.
    if (isFrame && contentType !== 'image/jpeg' && source.format?.startsWith('I') === false) {
      const size = { resizeWidth: toWidth, resizeHeight: toHeight, resizeQuality: 'medium' } as const;
      const bitmap = await createImageBitmap(source, size);
      context.drawImage(bitmap, 0, 0);
      bitmap.close();
    } else context.drawImage(source, 0, 0, toWidth, toHeight);
    if (isFrame) source.close();
  }
}
