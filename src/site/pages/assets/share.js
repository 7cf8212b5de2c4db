// Shows the buttons that copy and share and makes them work, and writes times in the visitor's own zone; without script the texts
// can be selected by hand and the times are in UTC.
const times = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'short' });
for (const element of document.querySelectorAll('time')) {
  element.title = element.textContent;
  element.textContent = times.format(new Date(element.dateTime));
}
for (const button of document.querySelectorAll('[data-copy]')) {
  const field = document.getElementById(button.dataset.copy);
  button.hidden = false;
  button.addEventListener('click', async () => {
    field.select();
    try {
      await navigator.clipboard.writeText(field.value);
    } catch {
      document.execCommand('copy');
    }
    button.textContent = 'Copied';
    setTimeout(() => (button.textContent = 'Copy'), 1500);
  });
  field.addEventListener('focus', () => field.select());
}

// A picture that fits into the window is shown at its actual size already.
const picture = document.querySelector('.picture[width]');
const zoom = document.getElementById('zoom');
if (picture && zoom) {
  const update = () => {
    if (!zoom.checked)
      document.querySelector('.button[for="zoom"]').hidden =
        picture.clientWidth >= Number(picture.getAttribute('width'));
  };
  update();
  // Until it has loaded, it has no width.
  picture.addEventListener('load', update);
  addEventListener('resize', update);
}

// The system's own sheet, on phones for the most part.
const shareButton = document.querySelector('[data-share]');
if (navigator.share && shareButton) {
  shareButton.hidden = false;
  shareButton.addEventListener('click', () =>
    // Whoever closes the sheet has changed their mind.
    navigator.share({ title: document.querySelector('h1').textContent, url: location.href }).catch(() => {}),
  );
}
