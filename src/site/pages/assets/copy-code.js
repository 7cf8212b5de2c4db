// A copy button for each block of code.
for (const block of document.querySelectorAll('.docs pre, .example pre:not(.answer)')) {
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
