// What a stand-in for the browser has besides its render: nothing to do, no pictures, and an old version.
import type { Browser } from '#browser/browser.ts';
import { releaseOf } from '#browser/install/releases.ts';

export const idleBrowser: Omit<Browser, 'render'> = {
  about: {
    name: 'stand-in',
    version: '150.0.1.2',
    path: '/nowhere',
    source: 'a test',
    releasedAt: releaseOf('150'),
    renewal: 'nothing',
    sandboxed: false,
    sandboxProblem: null,
    blankScripts: [],
  },
  makePicture: () => Promise.reject(new Error('no pictures here')),
  check: async () => {},
  workerCounts: () => ({ started: 0, replaced: 0, lost: 0, idle: 0 }),
  renew: async () => {},
  close: async () => {},
};
