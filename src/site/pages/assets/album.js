// The keyboard and the viewer of an album: arrows move between pictures, Enter opens one, Escape closes it. Without script each picture
// is a link to its page.
const tiles = [...document.querySelectorAll('.tile')];
/** Those that can be shown without a question. */
const pictures = tiles.filter(({ dataset }) => dataset.src);
const viewer = document.querySelector('.viewer');
const picture = viewer.querySelector('img');
const part = (name) => viewer.querySelector(`[data-${name}]`);
let current = 0;

function show(index) {
  if (index < 0 || index >= pictures.length) return;
  current = index;
  const { src, srcset, title } = pictures[index].dataset;
  // Emptied first, so that the last picture is not seen under the new title while this one loads.
  picture.removeAttribute('src');
  picture.srcset = srcset;
  picture.sizes = '100vw';
  picture.src = src;
  picture.alt = title;
  part('title').textContent = title;
  part('place').textContent = `${index + 1} of ${pictures.length}`;
  part('page').href = pictures[index].href;
  part('previous').disabled = index === 0;
  part('next').disabled = index === pictures.length - 1;
  if (!viewer.open) viewer.showModal();
}

for (const [index, tile] of pictures.entries())
  tile.addEventListener('click', (event) => {
    // With a modifier the browser opens its page elsewhere, as for every link.
    if (event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return;
    event.preventDefault();
    show(index);
  });
part('previous').addEventListener('click', () => show(current - 1));
part('next').addEventListener('click', () => show(current + 1));
part('close').addEventListener('click', () => viewer.close());
viewer.addEventListener('click', (event) => {
  if (event.target === viewer) viewer.close();
});
viewer.addEventListener('close', () => {
  picture.removeAttribute('srcset');
  picture.removeAttribute('src');
  pictures[current].focus();
});

/** The tiles of a row, as many as fit. */
const columns = () => tiles.filter(({ offsetTop }) => offsetTop === tiles[0].offsetTop).length;
const steps = {
  ArrowLeft: () => -1,
  ArrowRight: () => 1,
  ArrowUp: () => -columns(),
  ArrowDown: columns,
  Home: () => -Infinity,
  End: () => Infinity,
};
document.addEventListener('keydown', (event) => {
  const step = steps[event.key];
  if (!step || tiles.length === 0 || event.ctrlKey || event.metaKey || event.altKey) return;
  if (viewer.open) {
    event.preventDefault();
    if (event.key !== 'ArrowUp' && event.key !== 'ArrowDown')
      show(Math.min(pictures.length - 1, Math.max(0, current + step())));
    return;
  }
  const focused = tiles.indexOf(document.activeElement);
  // Elsewhere the arrows scroll and move in fields.
  if (focused === -1 && document.activeElement !== document.body) return;
  const isVertical = event.key === 'ArrowUp' || event.key === 'ArrowDown';
  if (focused === -1 && isVertical) return;
  event.preventDefault();
  tiles[focused === -1 ? 0 : Math.min(tiles.length - 1, Math.max(0, focused + step()))].focus();
});

// A swipe, on phones.
let startX;
viewer.addEventListener(
  'touchstart',
  ({ touches }) => (startX = touches.length === 1 ? touches[0].clientX : undefined),
  { passive: true },
);
viewer.addEventListener('touchend', ({ changedTouches }) => {
  const moved = changedTouches[0].clientX - startX;
  if (Math.abs(moved) > 50) show(current - Math.sign(moved));
});
