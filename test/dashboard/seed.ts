// Seeds an account with four weeks of data: uploads of every type, renders, keys, overages and errors.
import sharp from 'sharp';
import type { TestService } from '#test/support/service.ts';
import { svg } from '#test/support/images.ts';
import { bearer, formOf, post } from '#test/support/requests.ts';
import type { PageServer } from '#test/support/page-server.ts';
import type { Visitor } from '#test/support/visitor.ts';

const dayMs = 86_400_000;
const days = 28;
const names = [
  'harbour',
  'market hall',
  'winter road',
  'lamp',
  'kitchen',
  'portrait of a very long afternoon by the sea',
];
const tones = ['#b08457', '#6f7d6a', '#8aa0a8', '#d8b46a', '#7b5a52', '#4f5d73'];

export async function seed(service: TestService, site: PageServer, person: Visitor): Promise<void> {
  await service.clock.advance(-days * dayMs);
  const laptop = (await person.call('POST /keys', { body: { name: 'laptop' } })).body.secret;
  const blog = (await person.call('POST /keys', { body: { name: 'blog' } })).body.secret;
  const pictures = await Promise.all(tones.map((tone, index) => picture(tone, index)));
  for (let day = 0; day < days; day += 1) {
    const count = [1, 3, 2, 5, 4, 0, 1][day % 7]!;
    for (let index = 0; index < count; index += 1) {
      const which = (day + index) % names.length;
      const key = (day + index) % 3 === 0 ? blog : laptop;
      await upload(service, key, pictures[which]!, `${names[which]}.${['png', 'jpg', 'webp'][which % 3]}`);
    }
    await service.clock.advance(dayMs);
  }
  await upload(service, laptop, svg('<circle cx="20" cy="15" r="12" fill="#7a4b23"/>'), 'mark.svg');
  await upload(service, blog, pictures[0]!, 'goes soon.png', { expires_in: '90000' });

  const article = `${site.base}/article.html`;
  await render(service, laptop, 'screenshot', { url: article, response: 'json' });
  await render(service, laptop, 'screenshot', { url: article, format: 'jpeg', width: 800 });
  await render(service, blog, 'pdf', {
    url: `${site.base}/print.html`,
    paper_format: 'a4',
    response: 'json',
  });
  await render(service, blog, 'pdf', {
    url: site.route('/breaks', (request) => request.destroy()),
    scale: 0.9,
  });
  await render(service, 'tt_not-a-key', 'pdf', { url: article });
  const old = (await person.call('POST /keys', { body: { name: 'old phone' } })).body;
  await person.call('POST /keys/:id/revoke', { id: old.key.id });
  await upload(service, old.secret, pictures[0]!, 'too late.png');
  const rotated = (await person.call('POST /keys', { body: { name: 'build server' } })).body;
  await person.call('POST /keys/:id/rotate', { id: rotated.key.id, body: { grace_seconds: 86_400 } });
}

export async function picture(tone: string, index: number): Promise<Buffer> {
  const [width, height] = [
    [640, 480],
    [480, 640],
    [900, 300],
  ][index % 3] as [number, number];
  const scene = `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}"><rect width="100%" height="100%" fill="${tone}"/><circle cx="${width * 0.7}" cy="${height * 0.3}" r="${height * 0.12}" fill="#f6ecdb"/><path d="M0 ${height}V${height * 0.7}L${width * 0.35} ${height * 0.45} ${width * 0.6} ${height * 0.75} ${width} ${height * 0.55}V${height}z" fill="#2b2622" opacity=".6"/></svg>`;
  const image = sharp(Buffer.from(scene));
  if (index % 3 === 0) return image.png().toBuffer();
  return index % 3 === 1 ? image.jpeg().toBuffer() : image.webp().toBuffer();
}

const upload = (
  service: TestService,
  key: string,
  bytes: Buffer,
  name: string,
  fields: Record<string, string> = {},
) => post(`${service.origin}/api/v1/upload`, { headers: bearer(key), body: formOf([[bytes, name]], fields) });

const render = (service: TestService, key: string, kind: 'screenshot' | 'pdf', body: object) =>
  fetch(`${service.origin}/api/v1/${kind}`, {
    method: 'POST',
    headers: { ...bearer(key), 'content-type': 'application/json' },
    body: JSON.stringify(body),
  }).then((response) => response.arrayBuffer());
