// The reference with script: copy buttons, one language for all examples, and a search over its sections.
for (const block of document.querySelectorAll('.docs pre')) {
  const button = document.createElement('button');
  button.type = 'button';
  button.className = 'copy-code';
  const label = (word) => {
    button.textContent = word;
    button.setAttribute('aria-label', `${word}: ${block.getAttribute('aria-label')}`);
  };
  label('Copy');
  button.addEventListener('click', async () => {
    const text = block.querySelector('code').textContent;
    try {
      await navigator.clipboard.writeText(text);
    } catch {
      const field = document.createElement('textarea');
      field.value = text;
      document.body.append(field);
      field.select();
      document.execCommand('copy');
      field.remove();
      button.focus();
    }
    label('Copied');
    setTimeout(() => label('Copy'), 1500);
  });
  const frame = document.createElement('div');
  frame.className = `code ${block.className}`;
  block.replaceWith(frame);
  frame.append(block, button);
}

const radios = [...document.querySelectorAll('.samples input')];
for (const radio of radios)
  radio.addEventListener('change', () => {
    for (const other of radios) other.checked ||= other.value === radio.value;
  });

const search = document.getElementById('docs-search');
search.closest('p').hidden = false;
const sections = [...document.querySelectorAll('.docs section')].map((section) => ({
  section,
  text: section.textContent.toLowerCase(),
}));
const found = document.getElementById('docs-found');
search.addEventListener('input', () => {
  const words = search.value.toLowerCase().split(/\s+/).filter(Boolean);
  let count = 0;
  for (const { section, text } of sections) {
    const isFound = words.every((word) => text.includes(word));
    section.hidden = !isFound;
    count += isFound ? 1 : 0;
    for (const link of document.querySelectorAll(`.contents a[href="#${section.id}"]`))
      link.closest('li').hidden = !isFound;
  }
  found.textContent =
    words.length === 0 ? '' : count === 0 ? 'Nothing found.' : `${count} of ${sections.length} sections.`;
});
addEventListener('keydown', (event) => {
  if (event.key !== '/' || event.target.matches('input, textarea, select')) return;
  event.preventDefault();
  search.focus();
});
