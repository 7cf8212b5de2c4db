// Wraps the database and stores of the service and interrupts the n-th call: by a failure, or by something that the test does at
// that moment, such as a client that disconnects.
import type { AdoptedFile, Blobs, OpenBlob, Spool } from '#storage/blobs.ts';
import { UnknownOutcomeError, type Database, type Tables } from '#storage/database.ts';
import type { OnCrashPoint } from '#core/crash-points.ts';

export interface Interruptions {
  wrapDatabase: (database: Database) => Database;
  wrapBlobs: (blobs: Blobs) => Blobs;
  reached: OnCrashPoint;
  /** From now on calls are counted, and `act` runs at the one with this number; it may throw. */
  arm(at: number, act: () => void | Promise<void>): void;
  /** Stops counting; resolves to the names of the calls that were made. */
  disarm(): string[];
}

/** Nothing is awaited between these points and the response, so nothing can fail there. */
const afterCommit = ['upload committed', 'render committed'];

export function createInterruptions(): Interruptions {
  let calls: string[] | undefined;
  let at = 0;
  let act: () => void | Promise<void> = () => {};

  /** Each is a place where an await may fail. */
  function touch(name: string): void | Promise<void> {
    if (!calls) return undefined;
    calls.push(name);
    return calls.length === at ? act() : undefined;
  }

  function wrapTable<T extends object>(table: T, name: string): T {
    return new Proxy(table, {
      get(target, key) {
        const value: unknown = Reflect.get(target, key);
        if (typeof value === 'object' && value !== null) return wrapTable(value, `${name}.${String(key)}`);
        if (typeof value !== 'function') return value;
        if (key === 'ownedBy')
          return (...given: unknown[]) => wrapTable(value.apply(target, given) as object, `${name}.owned`);
        return async (...given: unknown[]) => {
          await touch(`${name}.${String(key)}`);
          return value.apply(target, given) as unknown;
        };
      },
    });
  }

  function wrapSpool(spool: Spool): Spool {
    return {
      write(chunk) {
        const touched = touch('spool.write');
        return touched ? touched.then(() => spool.write(chunk)) : spool.write(chunk);
      },
      async read(maxBytes) {
        await touch('spool.read');
        return spool.read(maxBytes);
      },
      async toFile() {
        await touch('spool.toFile');
        return spool.toFile();
      },
      sha256: spool.sha256,
      async commit(key) {
        await touch('spool.commit');
        await spool.commit(key);
        await touch('spool.committed');
      },
      [Symbol.asyncDispose]: () => spool[Symbol.asyncDispose](),
    };
  }

  function wrapAdopted(file: AdoptedFile): AdoptedFile {
    return {
      async open() {
        await touch('adopted.open');
        return watchStream(await file.open());
      },
      async commit(key) {
        await touch('adopted.commit');
        await file.commit(key);
        await touch('adopted.committed');
      },
      [Symbol.asyncDispose]: () => file[Symbol.asyncDispose](),
    };
  }

  /** The stream breaks, or its reader disconnects, when its first bytes are read. */
  function watchStream(blob: OpenBlob): OpenBlob {
    const { stream } = blob;
    const read = stream._read.bind(stream);
    stream._read = (size) => {
      stream._read = read;
      void (async () => {
        await touch('stream.read');
        if (!stream.destroyed) read(size);
      })().catch((error: Error) => stream.destroy(error));
    };
    return blob;
  }

  return {
    wrapDatabase: (database) => ({
      ...database,
      tables: wrapTable(database.tables, 'tables'),
      async transaction<T>(work: (tables: Tables) => Promise<T>, options?: object) {
        await touch('transaction');
        const result = await database.transaction(async (tables) => {
          const done = await work(wrapTable(tables, 'transaction'));
          await touch('transaction.commit');
          return done;
        }, options);
        try {
          await touch('transaction.committed');
        } catch (error) {
          throw new UnknownOutcomeError('interrupted after the commit', { cause: error });
        }
        return result;
      },
      transactionOf(_accountId, work, options) {
        return this.transaction(work, options);
      },
    }),
    wrapBlobs: (blobs) => ({
      ...blobs,
      createSpool: (...given) => wrapSpool(blobs.createSpool(...given)),
      adopt: async (file, account) => wrapAdopted(await blobs.adopt(file, account)),
      async open(key, range, reader) {
        await touch('blobs.open');
        const blob = await blobs.open(key, range, reader);
        return blob && watchStream(blob);
      },
      ...(blobs.readSmall && {
        async readSmall(key: string, sizeBytes: number) {
          await touch('blobs.readSmall');
          return blobs.readSmall?.(key, sizeBytes);
        },
      }),
      async delete(key) {
        await touch('blobs.delete');
        await blobs.delete(key);
      },
    }),
    reached(point) {
      if (!afterCommit.includes(point)) void touch(point);
    },
    arm(number, action) {
      [calls, at, act] = [[], number, action];
    },
    disarm() {
      const made = calls ?? [];
      calls = undefined;
      return made;
    },
  };
}
