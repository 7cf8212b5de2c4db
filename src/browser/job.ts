// A render job: where a page comes from, how it is seen, what it may know, how it is changed, what is waited for, and what is made of
// it. Both versions of the interface lower their requests to it, and the worker reads nothing else. Contract 4.3, 4.4; v2 2.
import type { Phases } from '#core/phases.ts';
import type { EgressSettings } from '#wall/rules.ts';

export interface Job {
  source: Source;
  view: View;
  /** Secrets, sent to the page's own origin only. */
  access: Access;
  changes: PageChanges;
  waits: Waits;
  /** In the order of the request. All are made from one load. */
  outputs: Output[];
  /** What the request lists although it may stand alone: messages then name a field with its place, also of the only one. */
  listed?: readonly Listable[];
  /** For the whole render, from the moment it has a place. */
  timeoutMs: number;
  /** The most pixels of all its pictures together; `limits.renderPixels` unless given. */
  maxPixels?: number;
  /** Pictures that outputs are compared with. */
  references?: ReferenceFile[];
  /** Where the page may go. */
  egress: EgressSettings;
  /** The account that the render is for: pages of two accounts never share a browser at the same time. */
  account?: string;
  /** Measures the phases `navigate`, `settle`, `capture` and `encode`, also of a render that fails. */
  phases?: Phases;
}

export const listable = ['outputs', 'wait_for'] as const;
type Listable = (typeof listable)[number];

/** How the request calls a field of the output at this place. */
export const outputField = (
  { outputs, listed = [] }: Pick<Job, 'outputs' | 'listed'>,
  place: number,
  name: string,
): string => (outputs.length === 1 && !listed.includes('outputs') ? name : `outputs[${place}].${name}`);

/** A job as the worker gets it. */
export type Task = Omit<Job, 'phases' | 'account'>;

/** A page on the web, or a document that came with the request. */
export type Source = { kind: 'url'; url: string } | DocumentSource;

export interface DocumentSource {
  kind: 'html' | 'markdown';
  /** In a file if the request is large. */
  text: string | TextFile;
  /** The address that the document has; null for an origin that exists only for this render. */
  baseUrl: string | null;
  files: SourceFile[];
}

/** A text that is not held in memory. */
export interface TextFile {
  path: string;
  sizeBytes: number;
  sha256: string;
}

/** The document of a large request. */
export interface SentDocument extends Pick<DocumentSource, 'kind'> {
  text: TextFile;
}

/** A file that came with the request, which the page finds under its relative name. */
export interface SourceFile {
  /** As in the address: `img/logo.png`. */
  name: string;
  contentType: string;
  /** Where its bytes are. */
  path: string;
  sizeBytes: number;
}

/** An earlier picture, for the output at this place. */
export interface ReferenceFile {
  place: number;
  path: string;
}

export interface Viewport {
  width: number;
  height: number;
}

export interface View extends Viewport {
  pixelRatio: number;
  mobile: boolean;
  touch: boolean;
  colorScheme: 'light' | 'dark';
  /** Null: the screen's for pictures and extracts, the printer's for PDFs. */
  media: 'screen' | 'print' | null;
  reducedMotion: boolean;
  contrast: 'no_preference' | 'more' | 'less';
  forcedColors: boolean;
  locale: string;
  timezone: string;
  geolocation: { latitude: number; longitude: number; accuracy: number } | null;
  /** Null for the browser's own. */
  userAgent: string | null;
  /** When the time of the page begins, in milliseconds since 1970; null for now. */
  clock: number | null;
}

export interface Access {
  headers: Record<string, string>;
  cookies: Cookie[];
  basicAuth: { username: string; password: string } | null;
}

export interface Cookie {
  name: string;
  value: string;
  /** Null for the host of the page alone. */
  domain: string | null;
  path: string;
  secure: boolean;
  httpOnly: boolean;
  sameSite: 'strict' | 'lax' | 'none' | null;
}

export type BlockedKind = 'images' | 'media' | 'fonts';

export interface PageChanges {
  javascript: boolean;
  css: string | null;
  /** The body of an async function. */
  script: string | null;
  /** Selectors. */
  hide: string[];
  blockKinds: BlockedKind[];
  /** Names; their subdomains are blocked too. */
  blockHosts: string[];
  /** Blocks the names of the operator's file, which is here. */
  blockedHostsFile: string | null;
  declineCookieBanners: boolean;
  /** `none`: for a document, which then has only the files that came with it. */
  network: 'all' | 'none';
}

export type LifecycleEvent = 'load' | 'domcontentloaded' | 'networkidle0' | 'networkidle2';

export interface Waits {
  /** `settled`: the load event, and then what a page does by itself. */
  until: LifecycleEvent | 'settled';
  for: WaitFor[];
  delayMs: number;
  /** Whether the page settles before the outputs are made, also if `until` is an event. */
  settles: boolean;
  failOn: FailOn[];
  /** For the load alone. */
  navigationMs: number;
}

export type WaitFor = { selector: string; state: 'visible' | 'attached' | 'gone' } | { expression: string };

/** What makes the render fail that would else be a warning. */
export interface FailOn {
  on: 'http_error' | 'request_failed' | 'script_error';
  /** Those that count, of an answer; null for all of 400 and more, and for what is not answered. */
  statuses: (number | string)[] | null;
  /** Names; they and their subdomains do not count. */
  exceptHosts: string[];
}

export type PictureFormat = 'png' | 'jpeg' | 'webp';
type ExtractFormat = 'html' | 'mhtml' | 'text' | 'markdown' | 'metadata';
export type OutputFormat = Output['format'];
export type Output = PictureOutput | PdfOutput | ExtractOutput | AccessibilityOutput;

/** At most one of `fullPage`, `selector`, `clip` and `printed`; by default what the viewport shows. */
export interface PictureOutput {
  format: PictureFormat;
  fullPage: boolean;
  selector: string | null;
  /** In CSS pixels of the page. */
  clip: { x: number; y: number; width: number; height: number } | null;
  omitBackground: boolean;
  /** The quality of a JPEG or WebP. */
  quality: number;
  resize: Resize | null;
  /** Instead of any of these: the page that is printed like this, whose number is its `pageRanges`. */
  printed: PdfOutput | null;
  /** The id of an earlier render whose picture it is compared with. */
  compareTo: string | null;
}

export interface Resize {
  width: number | null;
  height: number | null;
  fit: 'inside' | 'cover';
}

export type Sides<T> = Record<'top' | 'right' | 'bottom' | 'left', T>;

export interface PdfOutput {
  format: 'pdf';
  /** In inches, before it is turned. */
  paper: { width: number; height: number };
  landscape: boolean;
  printBackground: boolean;
  preferCssPageSize: boolean;
  scale: number;
  marginInches: Sides<number>;
  /** All pages if null. */
  pageRanges: string | null;
  singlePage: boolean;
  outline: boolean;
  tagged: boolean;
  omitBackground: boolean;
  /** In the top and the bottom margin. */
  header: MarginHtml | null;
  footer: MarginHtml | null;
  pageNumbers: boolean;
  documentInfo: DocumentInfo;
  /** Opens it; null if it is open for all. A secret. */
  password: string | null;
  /** Lifts the permissions. A secret; null if nobody has it. */
  ownerPassword: string | null;
  /** What readers let their users do, in the order of `pdfPermissions`. */
  permissions: readonly PdfPermission[];
}

export const pdfPermissions = ['print', 'copy', 'modify', 'annotate', 'fill', 'assemble'] as const;
export type PdfPermission = (typeof pdfPermissions)[number];

/** HTML for a margin of each page; null where the usual one is meant. */
export interface MarginHtml {
  usual: string;
  first: string | null;
  last: string | null;
}

/** The title, author and so on that a PDF carries. */
export type DocumentInfo = Partial<Record<'title' | 'author' | 'subject' | 'keywords' | 'language', string>>;

export interface ExtractOutput {
  format: ExtractFormat;
  selector: string | null;
  mainContent: boolean;
}

/** Its boxes are those of the first picture of the render; without one, of the whole page. */
export interface AccessibilityOutput {
  format: 'accessibility';
}

/** A page as its site shows it to everyone: version 1 knows no other. */
export const plainView: Omit<View, 'width' | 'height'> = {
  pixelRatio: 1,
  mobile: false,
  touch: false,
  colorScheme: 'light',
  media: null,
  reducedMotion: false,
  contrast: 'no_preference',
  forcedColors: false,
  locale: 'en-US',
  timezone: 'UTC',
  geolocation: null,
  userAgent: null,
  clock: null,
};

export const noAccess: Access = { headers: {}, cookies: [], basicAuth: null };

export const noChanges: PageChanges = {
  javascript: true,
  css: null,
  script: null,
  hide: [],
  blockKinds: [],
  blockHosts: [],
  blockedHostsFile: null,
  declineCookieBanners: false,
  network: 'all',
};

export const defaultQuality = 80;

/** A picture of what the viewport shows. */
export const plainPicture: PictureOutput = {
  format: 'png',
  fullPage: false,
  selector: null,
  clip: null,
  omitBackground: false,
  quality: defaultQuality,
  resize: null,
  printed: null,
  compareTo: null,
};

export const plainPdf: Omit<PdfOutput, 'paper'> = {
  format: 'pdf',
  landscape: false,
  printBackground: true,
  preferCssPageSize: false,
  scale: 1,
  marginInches: { top: 0, right: 0, bottom: 0, left: 0 },
  pageRanges: null,
  singlePage: false,
  outline: false,
  tagged: false,
  omitBackground: false,
  header: null,
  footer: null,
  pageNumbers: false,
  documentInfo: {},
  password: null,
  ownerPassword: null,
  permissions: pdfPermissions,
};

export const isPicture = (output: Output): output is PictureOutput =>
  output.format === 'png' || output.format === 'jpeg' || output.format === 'webp';
