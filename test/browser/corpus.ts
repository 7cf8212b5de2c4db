// Small pages, one for each thing that pages on the web do, with what must be visible: colours at points of the picture.
import { behaviours } from '#test/browser/corpus/behaviour.ts';
import { contents } from '#test/browser/corpus/content.ts';
import { documents } from '#test/browser/corpus/documents.ts';
import { fullPages } from '#test/browser/corpus/full-page.ts';
import type { CorpusPage } from '#test/browser/corpus/kit.ts';

export const corpus: CorpusPage[] = [...fullPages, ...contents, ...behaviours, ...documents];
