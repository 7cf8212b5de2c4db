// Records the statements that a service in this process sends to its database, where they leave Node: each is a round trip on
// Postgres.
import { StatementSync } from 'node:sqlite';
import { Worker } from 'node:worker_threads';
import { Client } from 'pg';

export interface StatementWatch {
  /** The statements since the last call, each as verb and table: "insert uploads". A transaction counts when it ends. */
  take(): string[];
  stop(): void;
}

/** What the service does by itself, independently of requests. */
const inTheBackground =
  /request_log|set "?leased_until|queue\.account_id|chores|last_used_at|clock_timestamp|pragma|^select 1$/;

export function watchStatements(): StatementWatch {
  let seen: string[] = [];
  /** Transactions that are under way, by their connection. */
  const open = new WeakMap<object, string[]>();

  function note(connection: object, text: string): void {
    const plain = text.trim().replaceAll(/\s+/g, ' ');
    const transaction = open.get(connection) ?? [];
    transaction.push(plain);
    if (/^(commit|rollback)$/.test(plain)) open.delete(connection);
    else if (plain.startsWith('begin') || open.has(connection)) {
      open.set(connection, transaction);
      return;
    }
    seen.push(...withoutBackground(transaction).map(nameOf));
  }

  const { query } = Client.prototype;
  const { run, all } = StatementSync.prototype;
  const { postMessage } = Worker.prototype;
  const theOneConnection = {};
  Client.prototype.query = function (this: Client, first: string | { text: string }, ...rest: unknown[]) {
    note(this, typeof first === 'string' ? first : first.text);
    return Reflect.apply(query, this, [first, ...rest]);
  } as typeof query;
  StatementSync.prototype.run = function (this: StatementSync, ...values) {
    note(theOneConnection, this.sourceSQL);
    return Reflect.apply(run, this, values);
  } as typeof run;
  StatementSync.prototype.all = function (this: StatementSync, ...values) {
    note(theOneConnection, this.sourceSQL);
    return Reflect.apply(all, this, values);
  } as typeof all;
  // To the thread that reads.
  Worker.prototype.postMessage = function (message: unknown, ...rest) {
    const { sql } = Object(message) as { sql?: unknown };
    if (typeof sql === 'string') note(this, sql);
    return Reflect.apply(postMessage, this, [message, ...rest]);
  };
  return {
    take() {
      const taken = seen;
      seen = [];
      return taken;
    },
    stop() {
      Client.prototype.query = query;
      Object.assign(StatementSync.prototype, { run, all });
      Worker.prototype.postMessage = postMessage;
    },
  };
}

/** A SQLite transaction may contain several pieces of work, each between a savepoint and its release. */
function withoutBackground(transaction: string[]): string[] {
  const pieces: string[][] = [[]];
  for (const text of transaction) {
    if (text.startsWith('savepoint')) pieces.push([]);
    pieces.at(-1)?.push(text);
    if (text.startsWith('release')) pieces.push([]);
  }
  const kept = pieces.filter((piece) => !piece.some((text) => inTheBackground.test(text))).flat();
  return kept.every((text) => /^(begin|commit)/.test(text)) ? [] : kept;
}

/** Columns that tell of the account, not what the statement is about. */
const columnsOfAccount = /\( ?select (definition from plans .*? limit 1|suspended from accounts .*?)\)/;

function nameOf(given: string): string {
  const text = given.replace(columnsOfAccount, '');
  const [, verb = text, table] =
    /^(update) "?(\w+)"?/i.exec(text) ??
    /^(insert|delete|select|with)\b.*?(?:into|from) "?(\w+)"?/i.exec(text) ??
    /^(begin|commit|rollback|savepoint|release)/i.exec(text) ??
    [];
  return table === undefined ? verb : `${verb} ${table}`;
}
