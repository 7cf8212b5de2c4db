// A table of the reference, which scrolls in itself where the page is narrow.
import { html, type Html } from '#site/pages/page.ts';

export const table = (label: string, heads: string[], rows: Html[]): Html =>
  html`<div class="scroll" tabindex="0" role="region" aria-label="${label}">
    <table>
      <thead>
        <tr>
          ${heads.map((head) => html`<th scope="col">${head}</th>`)}
        </tr>
      </thead>
      <tbody>
        ${rows}
      </tbody>
    </table>
  </div>`;
