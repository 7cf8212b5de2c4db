// Every journey again, and now each state that it reaches is judged by axe-core. npm test judges the pages as they load (pages.test.ts).
import { runTogether } from '#scripts/test-together.ts';
import { judging } from '#test/dashboard/kit.ts';

const names = [
  'administration',
  'docs',
  'journeys',
  'nothing-lost',
  'numbers-and-files',
  'pdf-preview',
  'sign-in',
  'to-a-link',
  'truthful',
  'unlucky',
];

judging.isOn = true;
await runTogether(names.map((name) => `test/dashboard/${name}.test.ts`));
