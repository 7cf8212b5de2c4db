// The worker thread that runs the reads which may take long: one statement in, its rows out.
import { parentPort, workerData } from 'node:worker_threads';
import { openReadConnection, type Read } from '#storage/read-connection.ts';

/** What the thread sends back for each statement, in the order of their arrival. */
export type ReadAnswer = { rows: unknown[] } | { failure: unknown };

const connection = openReadConnection(workerData as string);

parentPort?.on('message', (read: Read | 'close') => {
  if (read === 'close') {
    connection.close();
    parentPort?.close();
  } else parentPort?.postMessage(answerTo(read), []);
});

function answerTo(read: Read): ReadAnswer {
  try {
    return { rows: connection.rowsOf(read) };
  } catch (failure) {
    return { failure };
  }
}
