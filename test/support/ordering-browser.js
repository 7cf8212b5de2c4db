// Stands between a worker and its browser and decides who is first where a page and its render race. The address of a page says at which
// command of the render the page goes elsewhere: `?at=3&first=news&to=/there`. That command, the third after the load event, waits until the
// browser has the other document. Then either the worker hears of that document before the command is carried out (`first=news`), or
// the command is carried out before the worker hears of it (`first=command`): a refusal overtakes the news then, as it does in the browser.
// Run by the script of a browser: node ordering-browser.js PROGRAM ARGUMENTS…
import { spawn } from 'node:child_process';
import { Socket } from 'node:net';

const [program, ...args] = process.argv.slice(2);
const child = spawn(program, args, { stdio: ['ignore', 'ignore', 'inherit', 'pipe', 'pipe'] });
child.once('exit', (code) => process.exit(code ?? 1));
const [, , , toBrowser, fromBrowser] = child.stdio;
const fromWorker = new Socket({ fd: 3, writable: false });
const toWorker = new Socket({ fd: 4, readable: false });

/** What makes the result: from then on the page may go where it likes. */
const lastCommands = new Set(['Page.captureScreenshot', 'Page.printToPDF']);
/** Ids of commands that are not the worker's. */
let ownId = 1e9;
/** By session. */
const races = new Map();

read(fromWorker, (message) => {
  if (message.method === 'Page.navigate') begin(message);
  const race = races.get(message.sessionId);
  if (!race?.isLoaded) return write(toBrowser, message);
  race.commands += 1;
  if (lastCommands.has(message.method)) races.delete(message.sessionId);
  if (race.commands !== race.at) return write(toBrowser, message);
  race.command = message;
  race.isHeld = true;
  races.set(message.sessionId, race);
  send('Page.navigate', { url: race.to }, message.sessionId);
});
fromWorker.once('end', () => toBrowser.end());

read(fromBrowser, (message) => {
  const race = races.get(message.sessionId);
  if (message.id >= 1e9) return;
  if (message.method === 'Page.loadEventFired' && race) race.isLoaded = true;
  if (!race?.command) return write(toWorker, message);
  if (message.method === undefined && message.id !== race.command.id) return write(toWorker, message);
  if (message.id !== race.command.id) race.news.push(message);
  else end(race, message);
  if (!race.isHeld || message.method !== 'Page.frameNavigated' || message.params.frame.parentId !== undefined)
    return;
  race.isHeld = false;
  write(toBrowser, race.command);
  if (race.first === 'news') tell(race);
});

function begin({ params, sessionId }) {
  const { origin, searchParams } = new URL(params.url);
  const [at, first, to] = ['at', 'first', 'to'].map((name) => searchParams.get(name));
  if (at) races.set(sessionId, { at: Number(at), first, to: origin + to, commands: 0, news: [] });
}

/** The command has its answer. */
function end(race, answer) {
  if (answer.error) write(toWorker, answer);
  tell(race);
  if (!answer.error) write(toWorker, answer);
}

function tell(race) {
  races.delete(race.command.sessionId);
  for (const message of race.news) write(toWorker, message);
}

function send(method, params, sessionId) {
  write(toBrowser, { id: ownId++, method, params, sessionId });
}

function write(stream, message) {
  stream.write(`${JSON.stringify(message)}\0`);
}

function read(stream, take) {
  let rest = '';
  stream.setEncoding('utf8').on('data', (text) => {
    const parts = (rest + text).split('\0');
    rest = parts.pop();
    for (const part of parts) take(JSON.parse(part));
  });
}
