// The journeys of npm test again, and now each state that they reach is judged by axe-core. npm test judges the pages as they load
// (pages.test.ts).
import { runTogether } from '#scripts/test-together.ts';
import { judging } from '#test/dashboard/kit.ts';

const names = ['administration', 'docs', 'journeys', 'sign-in', 'to-a-link'];

judging.isOn = true;
await runTogether(names.map((name) => `test/dashboard/${name}.test.ts`));
