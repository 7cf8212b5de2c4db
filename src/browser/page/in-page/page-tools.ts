// What the service does inside a page. The text of this function is sent to an isolated world of the page (`isolated-world.ts`),
// so it may use its arguments and what a page has, but nothing of this module. Spec 4.3.

export type PageTools = ReturnType<typeof createPageTools>;

/** `empty`: nothing visible yet. Databases, caches and compilers answer in real time, which virtual time outruns. */
export type State = 'at rest' | 'moving' | 'empty';

/** `finishMs`: animations that end within this time are taken to their end, later and endless ones are stopped where they are. */
export function createPageTools(finishMs: number) {
  const frame = () => new Promise((resolve) => requestAnimationFrame(resolve));
  const root = () => document.scrollingElement ?? document.documentElement;

  // Frames and motions

  async function firstFrame(): Promise<void> {
    await frame();
    // What the frame has set off, such as the request for a lazy image, follows it.
    const { port1, port2 } = new MessageChannel();
    port2.postMessage(0);
    await new Promise((resolve) => {
      port1.addEventListener('message', resolve, { once: true });
      port1.start();
    });
  }

  const idle = () => new Promise<void>((resolve) => requestIdleCallback(() => resolve()));

  /** The document and those in its frames, except frames of other sites. */
  function documents(of = document): Document[] {
    const frames = of.querySelectorAll<HTMLIFrameElement | HTMLObjectElement>('iframe,frame,object,embed');
    const inner = Array.from(frames, ({ contentDocument }) =>
      contentDocument ? documents(contentDocument) : [],
    );
    return [of, ...inner.flat()];
  }

  /** Returns whether it was still moving. An animation of the scroll position, or at rate 0, does not end with time. */
  function finishAnimation(animation: Animation): boolean {
    const endTime = Number(animation.effect?.getComputedTiming().endTime);
    const isTimed = animation.timeline?.constructor.name === 'DocumentTimeline';
    if (animation.playState !== 'running' || !isTimed) return false;
    const isEnding = animation.playbackRate !== 0 && endTime - Number(animation.currentTime) <= finishMs;
    if (isEnding) animation.finish();
    else animation.pause();
    return isEnding;
  }

  const advanced = new WeakSet<SVGSVGElement>();

  /** The clock of an SVG begins with its first frame: if it is advanced before that, the picture does not change. */
  function advanceSvg(svg: SVGSVGElement): boolean {
    // An element of HTML may be named svg too.
    if (!('setCurrentTime' in svg) || svg.animationsPaused() || advanced.has(svg)) return false;
    const time = svg.getCurrentTime();
    if (time > 0) {
      svg.setCurrentTime(time + finishMs / 1000);
      advanced.add(svg);
    }
    return true;
  }

  /** Takes motions to their end; returns whether there were any. */
  function finish(): boolean {
    const all = documents();
    const animations = all.flatMap((each) => each.getAnimations());
    const svgs = all.flatMap((each) => [
      ...each.querySelectorAll<SVGSVGElement>('svg:has(animate,animateTransform,animateMotion,set)'),
    ]);
    return [...animations.map(finishAnimation), ...svgs.map(advanceSvg)].includes(true);
  }

  /** Drawing into a canvas changes no element, so small copies of the first few are compared. */
  function drawings(): string {
    const [maxCanvases, samplePx] = [8, 32];
    const sample = (canvas: HTMLCanvasElement): string => {
      try {
        const copy = new OffscreenCanvas(samplePx, samplePx).getContext('2d', { willReadFrequently: true })!;
        copy.drawImage(canvas, 0, 0, samplePx, samplePx);
        return copy.getImageData(0, 0, samplePx, samplePx).data.join();
      } catch {
        // Without an area, or with pictures of other origins: it cannot be read and counts as unchanged.
        return '';
      }
    };
    return [...document.querySelectorAll('canvas')].slice(0, maxCanvases).map(sample).join(' ');
  }

  // A script that moves something frame by frame changes an element, a canvas or the scroll position.
  let hasChanged = false;
  let before = '';
  const observer = new MutationObserver(() => (hasChanged = true));
  const position = () => `${scrollX} ${scrollY}`;

  async function watchTwoFrames(): Promise<void> {
    hasChanged = finish();
    observer.observe(document, { subtree: true, childList: true, attributes: true, characterData: true });
    before = position() + drawings();
    // What WebGL has drawn can be read only until its frame is shown.
    await frame();
    const atFirst = drawings();
    await frame();
    if (drawings() !== atFirst) hasChanged = true;
  }

  function state(): State {
    observer.disconnect();
    const isMoving = finish() || hasChanged || position() + drawings() !== before;
    return isEmpty() ? 'empty' : isMoving ? 'moving' : 'at rest';
  }

  /** No text, no picture, no coloured box: a script waits for something before it shows its first. */
  function isEmpty(): boolean {
    const { body } = document;
    if (!body) return document instanceof HTMLDocument;
    const content = 'img,svg,canvas,video,iframe,object,embed,input,button,hr,frame';
    if (body.innerText.trim() !== '' || body.querySelector(content)) return false;
    const isSeen = (element: Element): boolean => {
      const { backgroundColor, backgroundImage } = getComputedStyle(element);
      const isWhite = ['rgba(0, 0, 0, 0)', 'rgb(255, 255, 255)'].includes(backgroundColor);
      return !isWhite || backgroundImage !== 'none' || element.shadowRoot !== null;
    };
    return ![document.documentElement, body, ...body.querySelectorAll('*')].some(isSeen);
  }

  // Full pages

  /** The start is (0, 0) in every writing mode; in some modes the page extends to the left or upwards, at negative positions. */
  function toStart(): void {
    // Its promise, which waits for the page's clock, is not returned: the caller of a tool awaits what it returns.
    window.scrollTo({ top: 0, left: 0, behavior: 'instant' });
  }

  const isScrollable = () => root().scrollHeight > innerHeight;

  /** A position counts as seen once a frame was drawn there: a script scrolls to it in one frame, and the next frame moves on. */
  async function scrollThrough(maxSteps: number, limitPx: number): Promise<void> {
    await frame();
    await frame();
    window.scrollTo({ top: -1, behavior: 'instant' });
    const direction = window.scrollY < 0 ? -1 : 1;
    for (let step = 1; step <= maxSteps; step += 1) {
      const top = step * innerHeight;
      if (top >= Math.min(root().scrollHeight, limitPx)) break;
      window.scrollTo({ top: direction * top, behavior: 'instant' });
      await frame();
    }
    drawAll();
    toStart();
    await frame();
  }

  /** Elements with `content-visibility: auto` would only be drawn near the viewport. */
  function drawAll(): void {
    for (const element of document.querySelectorAll<HTMLElement>('*')) {
      if (getComputedStyle(element).contentVisibility !== 'auto') continue;
      element.style.setProperty('content-visibility', 'visible', 'important');
    }
  }

  async function picturesDecoded(): Promise<void> {
    const loaded = [...document.images].filter((image) => image.complete && image.naturalWidth > 0);
    await Promise.all([document.fonts.ready, ...loaded.map((image) => image.decode().catch(() => {}))]);
  }

  // Frames of other sites

  function placeOf(element: Element) {
    const { left, top, width, height } = element.getBoundingClientRect();
    const [x, y] = [Math.round(left), Math.round(top)];
    return { x, y, width: Math.round(width), height: Math.round(height) };
  }

  /** Scrolls a part of an element into the middle; returns whether it is uncovered there. */
  async function showPart(element: Element, offset: number, height: number): Promise<boolean> {
    const top = element.getBoundingClientRect().top + offset;
    window.scrollBy({ top: top - (innerHeight - height) / 2, behavior: 'instant' });
    await frame();
    await frame();
    const box = element.getBoundingClientRect();
    const tree = element.getRootNode() as Document | ShadowRoot;
    const shares = [0.05, 0.5, 0.95];
    return shares
      .map((share) => box.left + box.width * share)
      .filter((x) => x < innerWidth)
      .every((x) =>
        shares
          .map((share) => box.top + offset + height * share)
          .every((y) => tree.elementFromPoint(x, y) === element),
      );
  }

  return {
    frame,
    firstFrame,
    idle,
    finish,
    watchTwoFrames,
    state,
    toStart,
    isScrollable,
    scrollThrough,
    picturesDecoded,
    placeOf,
    showPart,
  };
}
