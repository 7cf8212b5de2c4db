// Stands between a worker and its browser, and breaks one thing: what the browser makes (the method of its protocol fails), or the wall around
// its pages. Run by the script of a browser: node between-browser.js BROKEN PROGRAM ARGUMENTS…
import { spawn } from 'node:child_process';
import { Socket } from 'node:net';

const [broken, program, ...args] = process.argv.slice(2);
const isOpen = broken === 'wall';
const isOfWall = (argument) => /^--(proxy-server|proxy-bypass-list|host-resolver-rules)=/.test(argument);
const child = spawn(program, isOpen ? args.filter((argument) => !isOfWall(argument)) : args, {
  stdio: ['ignore', 'ignore', 'inherit', 'pipe', 'pipe'],
});
child.once('exit', (code) => process.exit(code ?? 1));

const commands = new Socket({ fd: 3, writable: false });
const answers = new Socket({ fd: 4, readable: false });
const [, , , toBrowser, fromBrowser] = child.stdio;
let rest = '';
commands.setEncoding('utf8').on('data', (text) => {
  const parts = (rest + text).split('\0');
  rest = parts.pop();
  for (const part of parts) pass(JSON.parse(part));
});
commands.once('end', () => toBrowser.end());
fromBrowser.on('data', (bytes) => answers.write(bytes));

function pass({ id, method, sessionId, params }) {
  if (method === broken) {
    const error = { code: -32_000, message: `${method} does not work in this build` };
    answers.write(`${JSON.stringify({ id, sessionId, error })}\0`);
    return;
  }
  if (isOpen && method === 'Target.createBrowserContext') {
    delete params.proxyServer;
    delete params.proxyBypassList;
  }
  toBrowser.write(`${JSON.stringify({ id, method, sessionId, params })}\0`);
}
