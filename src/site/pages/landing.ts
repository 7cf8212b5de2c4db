// GET /: what this service is, a call that works here, and where to go next.
import type { FastifyReply, FastifyRequest } from 'fastify';
import { assetUrl } from '#site/pages/assets.ts';
import { html, sendPage, type Html, type Page } from '#site/pages/page.ts';

interface Example {
  title: string;
  text: string;
  call: string;
  answer: string;
}

export function landingPage({ baseUrl }: { baseUrl: string }) {
  const page: Page = {
    title: 'Images and web pages, kept simple',
    body: describe(baseUrl),
    scripts: ['copy-code.js'],
    links: [
      ['/docs', 'Docs'],
      ['/dashboard', 'Sign in'],
    ],
  };
  return async (_request: FastifyRequest, reply: FastifyReply) => sendPage(reply, page);
}

function describe(baseUrl: string): Html {
  return html`<main class="landing">
    <section class="hero">
      <div>
        <h1>Pictures with a link.<br />Pages as pictures.</h1>
        <p class="lead">
          Upload an image and share it. Capture any public web page as a screenshot or a PDF. One key, one
          request, on a server of your own.
        </p>
        <nav class="actions" aria-label="Start">
          <a class="button primary" href="/dashboard">Open the dashboard</a>
          <a class="button" href="/docs">Documentation</a>
        </nav>
      </div>
      <img class="plate" src="${assetUrl('plate.svg')}" alt="" width="320" height="260" />
    </section>
    <div class="examples">${examples(baseUrl).map(showExample)}</div>
    <p class="quiet foot">
      Keys are made in the <a href="/dashboard/keys">dashboard</a>. Everything the API does is in the
      <a href="/docs">reference</a> and in <a href="/openapi.json">OpenAPI 3.1</a>.
    </p>
  </main>`;
}

function showExample({ title, text, call, answer }: Example): Html {
  return html`<section class="example">
    <div>
      <h2>${title}</h2>
      <p class="quiet">${text}</p>
    </div>
    <div>
      <pre tabindex="0" aria-label="${title}: the call"><code>${call}</code></pre>
      <pre class="answer" tabindex="0" aria-label="${title}: the answer"><code>${answer}</code></pre>
    </div>
  </section>`;
}

function examples(baseUrl: string): Example[] {
  const call = (path: string, rest: string) =>
    `curl ${baseUrl}/api/v1/${path} \\\n  -H "Authorization: Bearer $TINTYPE_API_KEY" \\\n  ${rest}`;
  return [
    {
      title: 'Upload',
      text: 'PNG, JPEG, GIF, WebP, SVG and AVIF, up to 10 MB. SVGs are cleaned, links can expire.',
      call: call('upload', '-F file=@photo.png'),
      answer: `201  {"url": "${baseUrl}/i/…", "file_url": "${baseUrl}/f/…", …}`,
    },
    {
      title: 'Screenshot',
      text: 'A real browser with JavaScript. PNG, JPEG or WebP, the viewport or the full page.',
      call: call('screenshot', `--json '{"url": "https://example.com"}' -o page.png`),
      answer: '200  image/png, 1440 × 900',
    },
    {
      title: 'PDF',
      text: 'Letter, A4 or legal, with margins, scale and backgrounds as you ask for them.',
      call: call('pdf', `--json '{"url": "https://example.com", "paper_format": "a4"}' -o page.pdf`),
      answer: '200  application/pdf',
    },
  ];
}
