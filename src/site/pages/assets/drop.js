// Sends the files that are dropped, chosen or pasted, one after the other, and says what became of each. Without script the form sends one.
const form = document.querySelector('.drop form');
const zone = form.querySelector('.zone');
const input = form.querySelector('input');
const list = document.querySelector('.sent');
const waiting = [];
let left = Number(form.dataset.left);
let isSending = false;

form.querySelector('button').hidden = true;
input.multiple = left > 1;
input.required = false;
input.addEventListener('change', () => {
  add(input.files);
  input.value = '';
});
for (const name of ['dragenter', 'dragover'])
  document.addEventListener(name, (event) => {
    event.preventDefault();
    zone.classList.add('over');
  });
document.addEventListener('dragleave', (event) => {
  if (event.relatedTarget === null) zone.classList.remove('over');
});
document.addEventListener('drop', (event) => {
  event.preventDefault();
  zone.classList.remove('over');
  add(event.dataTransfer.files);
});
document.addEventListener('paste', (event) => add(event.clipboardData.files));

function add(files) {
  for (const file of files) waiting.push({ file, row: addRow(file.name) });
  void sendAll();
}

function addRow(name) {
  const row = document.createElement('li');
  const title = row.appendChild(document.createElement('span'));
  const state = row.appendChild(document.createElement('span'));
  title.textContent = name;
  title.className = 'name';
  state.className = 'quiet';
  state.textContent = 'waiting';
  list.append(row);
  return { row, say: (text, kind = 'quiet') => ((state.textContent = text), (state.className = kind)) };
}

async function sendAll() {
  if (isSending) return;
  isSending = true;
  for (let next = waiting.shift(); next; next = waiting.shift()) await sendOne(next);
  isSending = false;
}

async function sendOne({ file, row: { say } }) {
  const most = Number(form.dataset.bytes);
  if (left <= 0) return say('not sent: the link takes no more files', 'bad');
  if (file.size > most) return say(`not sent: larger than ${most.toLocaleString()} bytes`, 'bad');
  for (;;) {
    const { status, body, retryAfter } = await post(file, (percent) => say(`${percent} %`));
    if (status === 201) {
      left -= 1;
      if (left === 0) input.disabled = true;
      return say('sent', 'good');
    }
    const reason = body?.error?.message.replace(/^file: /, '');
    if (status !== 429) return say(`not sent: ${reason ?? 'the connection broke off'}`, 'bad');
    say('waiting');
    await new Promise((resolve) => setTimeout(resolve, 1000 * (retryAfter || 1)));
  }
}

/** Not with fetch, which does not tell how much has been sent. */
function post(file, onProgress) {
  const { promise, resolve } = Promise.withResolvers();
  const request = new XMLHttpRequest();
  const body = new FormData();
  body.append('file', file);
  request.upload.addEventListener('progress', ({ loaded, total }) =>
    onProgress(Math.round((100 * loaded) / (total || 1))),
  );
  request.addEventListener('loadend', () =>
    resolve({
      status: request.status,
      body: request.response,
      retryAfter: Number(request.getResponseHeader('retry-after')),
    }),
  );
  request.responseType = 'json';
  request.open('POST', location.href);
  request.setRequestHeader('accept', 'application/json');
  request.send(body);
  return promise;
}
