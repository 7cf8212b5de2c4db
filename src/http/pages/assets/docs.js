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
  const words = search.value.toLowerCase().split(/\s+/).filter(Boolean);
  const all = words.length === 0 ? [] : await allSections();
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
  found.replaceChildren(count, ...hits.slice(0, most).map((hit) => hitOf(hit, words[0])));
};

function hitOf({ url, page: where, title, text }, word) {
  const link = document.createElement('a');
  link.className = 'hit';
  link.href = url;
  const [name, place, words] = ['strong', 'span', 'span'].map((tag) => document.createElement(tag));
  name.textContent = title;
  place.textContent = where === title ? '' : where;
  const start = Math.max(0, text.toLowerCase().indexOf(word) - 60);
  words.textContent = `${start > 0 ? '…' : ''}${text.slice(start, start + 180)}…`;
  link.append(name, ' ', place, words);
  // A section of this page is behind the results.
  link.addEventListener('click', () => {
    search.value = '';
    showFound();
  });
  return link;
}

search.addEventListener('input', showFound);
addEventListener('keydown', (event) => {
  if (event.key !== '/' || event.target.matches('input, textarea, select')) return;
  event.preventDefault();
  search.focus();
});

// On a narrow screen the contents would push the page far down.
if (matchMedia('(max-width: 56rem)').matches) document.querySelector('.contents details').open = false;
