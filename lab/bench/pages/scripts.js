// A small application as they are: data is fetched, worked on, made into many elements, and drawn upon.
const element = (name, attributes = {}, ...children) => {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  made.append(...children);
  return made;
};

const { seed, count } = await (await fetch('data.json')).json();
let state = seed;
const random = () => (state = (state * 1_103_515_245 + 12_345) % 2_147_483_648) / 2_147_483_648;
const rows = Array.from({ length: count }, (_, id) => ({ id, value: random(), trend: random() - 0.5 }));

// As much reckoning as a page's framework and its data together cause.
let digest = 0;
for (let round = 0; round < 60; round += 1) {
  const sorted = rows.map((row) => ({ ...row, key: `${row.value.toFixed(9)}-${row.id}` }));
  sorted.sort((a, b) => (a.key < b.key ? -1 : 1));
  digest += sorted[round].id;
}

const canvas = element('canvas', { width: 1000, height: 220 });
const context = canvas.getContext('2d');
rows.slice(0, 400).forEach(({ value }, x) => context.fillRect(x * 2.5, 220 - value * 200, 2, value * 200));

const cards = ['Uploads', 'Renders', 'Accounts', 'Errors'].map((title, index) =>
  element(
    'div',
    { class: 'card' },
    element('b', {}, title),
    element('div', {}, String(Math.round(rows[index].value * 1e6))),
  ),
);
const cells = rows
  .slice(0, 1500)
  .flatMap(({ id, value, trend }) => [
    element('span', {}, `#${id}`),
    element('span', { class: trend > 0 ? 'up' : 'down' }, value.toFixed(4)),
  ]);
document
  .getElementById('root')
  .replaceChildren(
    element('h1', {}, `Overview ${digest}`),
    ...cards,
    canvas,
    element('div', { id: 'rows' }, ...cells),
  );
