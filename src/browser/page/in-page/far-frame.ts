// Run in a cross-site frame, in its own world.

/** News pages have dozens of empty frames for advertisements that never loaded. */
export const hasContent = () =>
  location.protocol !== 'chrome-error:' && (document.body?.childNodes.length ?? 1) > 0;

export const twoFrames = () =>
  new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)));
