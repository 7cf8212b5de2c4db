// The documentation with script: one language for all examples, and a search over all pages.
const radios = [...document.querySelectorAll('.samples input')];
for (const radio of radios)
  radio.addEventListener('change', () => {
    for (const other of radios) other.checked ||= other.value === radio.value;
  });

const search = document.getElementById('docs-search');
search.closest('p').hidden = false;
const found = document.getElementById('docs-found');
const page = document.getElementById('docs-page');

let sections;
/** Every section of every page, fetched with the first search. */
const allSections = () => {
  sections ??= fetch('/docs/search.json')
    .then((response) => response.json())
    .then((all) => all.map((one) => ({ ...one, head: `${one.title} ${one.page}`.toLowerCase() })));
  return sections;
};

const most = 30;
const showFound = async () => {
  const all = search.value.trim() === '' ? [] : await allSections();
  // What was typed while they were fetched counts.
  const words = search.value.toLowerCase().split(/\s+/).filter(Boolean);
  found.hidden = words.length === 0;
  page.hidden = words.length > 0;
  // A word in a title counts more than one in the text.
  const hits = all
    .filter(({ head, text }) =>
      words.every((word) => head.includes(word) || text.toLowerCase().includes(word)),
    )
    .map((one) => ({ ...one, score: words.filter((word) => one.head.includes(word)).length }))
    .sort((one, other) => other.score - one.score);
  const count = document.createElement('p');
  count.className = 'quiet';
  count.textContent =
    hits.length === 0 ? 'Nothing found.' : hits.length === 1 ? '1 result.' : `${hits.length} results.`;
  found.replaceChildren(count, ...hits.slice(0, most).map((hit) => hitOf(hit, words)));
};

function hitOf({ url, page: where, title, text }, words) {
  const link = document.createElement('a');
  link.className = 'hit';
  link.href = url;
  const [name, place, excerpt] = ['strong', 'span', 'span'].map((tag) => document.createElement(tag));
  name.append(...marked(title, words));
  place.append(...marked(where === title ? '' : where, words));
  excerpt.append(...marked(excerptOf(text, words[0]), words));
  link.append(name, ' ', place, excerpt);
  // A section of this page is behind the results.
  link.addEventListener('click', () => {
    search.value = '';
    showFound();
  });
  return link;
}

/** Whole words around the first place of one. */
function excerptOf(text, word) {
  const at = text.toLowerCase().indexOf(word);
  const start = at > 60 ? text.indexOf(' ', at - 60) + 1 : 0;
  const end = text.lastIndexOf(' ', start + 180);
  const isWhole = start + 180 >= text.length;
  return `${start > 0 ? '… ' : ''}${isWhole ? text.slice(start) : `${text.slice(start, end)} …`}`;
}

/** The text in pieces, with the words that were searched for in marks. */
function marked(text, words) {
  const lower = text.toLowerCase();
  const pieces = [];
  let from = 0;
  for (;;) {
    const [next] = words
      .map((word) => [lower.indexOf(word, from), word.length])
      .filter(([at]) => at !== -1)
      .sort(([at, length], [otherAt, otherLength]) => at - otherAt || otherLength - length);
    if (next === undefined) return [...pieces, text.slice(from)];
    const [at, length] = next;
    const mark = document.createElement('mark');
    mark.textContent = text.slice(at, at + length);
    pieces.push(text.slice(from, at), mark);
    from = at + length;
  }
}

search.addEventListener('input', showFound);
search.addEventListener('keydown', ({ key }) => {
  if (key === 'Enter') found.querySelector('.hit')?.click();
});
addEventListener('keydown', (event) => {
  if (event.key !== '/' || event.target.matches('input, textarea, select')) return;
  event.preventDefault();
  search.focus();
});

// On a narrow screen the contents would push the page far down.
if (matchMedia('(max-width: 56rem)').matches) document.querySelector('.contents details').open = false;
