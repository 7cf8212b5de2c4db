// The contract's numbers, except those of a single field, which its schema has. Spec 4, 8.

const MiB = 1024 * 1024;

export const limits = {
  fileBytes: 10 * MiB,
  batchFiles: 10,
  batchBytes: 50 * MiB,
  expiresInSeconds: { min: 60, max: 31_536_000 },
  viewportWidth: { min: 320, max: 3840, default: 1440 },
  viewportHeight: { min: 320, max: 2160, default: 900 },
  navigationMs: 25_000,
  settleMs: 3_000,
  screenshotTotalMs: 60_000,
  pdfTotalMs: 75_000,
  /** The longest time that a client may ask for. */
  renderTotalMs: 90_000,
  /** The pictures of one render together. */
  renderPixels: 134_000_000,
  outputsPerRender: 5,
  filesPerRender: 50,
  renderFileBytes: 20 * MiB,
  /** How long a render may wait for a slot on the machine; its timeouts start afterwards. */
  renderQueueMs: 30_000,
  keysPerAccount: 25,
  /** The latest expiry date of a key, in days after its creation. */
  keyDays: 3650,
  /** How long a deletion in the dashboard can be undone. */
  restorableMs: 7 * 24 * 60 * 60 * 1000,
  /** Uploads that one request of the dashboard changes. */
  idsPerRequest: 200,
  /** At 10 MB each, an archive stays under a gigabyte. */
  filesPerZip: 100,
  albumsPerAccount: 10_000,
  /** Bounds the page and the archive of an album. */
  uploadsPerAlbum: 1_000,
  uploadLinksPerAccount: 1_000,
  webhookEndpoints: 5,
  linkKeys: 25,
  quotaWarningPercents: [80, 90, 100],
} as const;
