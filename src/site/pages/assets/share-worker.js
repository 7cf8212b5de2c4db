// Takes what a phone shares with the installed dashboard, and does nothing else: it is registered for the path of the share alone, keeps no
// pages and no answers of the API, and has no offline copy, so it can never show an old dashboard. Any site can send a form to this path.
// So nothing is uploaded or rendered here: files are kept until the dashboard shows them and asks, and an address is only filled in.
addEventListener('fetch', (event) => {
  if (event.request.method === 'POST') event.respondWith(take(event.request).catch(toUploads));
});

async function take(request) {
  const form = await request.formData();
  const kept = new FormData();
  for (const file of form.getAll('file')) if (file instanceof File) kept.append('file', file);
  if (!kept.has('file')) return toPlayground(form);
  // The dashboard reads it under these names (uploading/shared.ts). An earlier share that nobody has looked at is replaced.
  const cache = await caches.open('tintype shared');
  await cache.put('/dashboard/share', new Response(kept));
  return toUploads();
}

/** Without kept files, the dashboard says that nothing has arrived. */
const toUploads = () => redirect('/dashboard/uploads?shared');

/** Android's apps put the address into the text, often after a title. */
function toPlayground(form) {
  const text = ['url', 'text', 'title'].map((name) => form.get(name) ?? '').join(' ');
  const address = /https?:\/\/\S+/i.exec(text)?.[0];
  const query = address === undefined ? '' : `?body=${encodeURIComponent(JSON.stringify({ url: address }))}`;
  return redirect(`/dashboard/playground${query}`);
}

const redirect = (path) => Response.redirect(new URL(path, location.origin), 303);
