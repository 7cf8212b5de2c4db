// The uploads page with 100 and with 100,000 uploads in the account, in one run: paging is by key, so both cost the same.
// node bench/uploads-page.ts
import { newId, newSlug } from '#core/ids.ts';
import { startService } from '#test/support/service.ts';
import { signedInVisitor, type CallOptions, type Visitor } from '#test/support/visitor.ts';

const sizes = [100, 100_000];
const rounds = 200;

const service = await startService({ LOG_LEVEL: 'silent' });
try {
  const visitors = new Map<number, Visitor>();
  for (const size of sizes) visitors.set(size, await accountWith(size));
  const times = new Map<string, number[]>();
  // Turn by turn, so that whatever else the machine does falls on both alike.
  for (let round = 0; round < rounds; round += 1) {
    for (const [size, visitor] of visitors) {
      service.clock.advance(1_000);
      for (const [page, query] of Object.entries(await pagesOf(visitor))) {
        const startedAt = performance.now();
        await visitor.call('GET /uploads', { query });
        const name = `${page}, ${size.toLocaleString('en')} uploads`;
        times.set(name, [...(times.get(name) ?? []), performance.now() - startedAt]);
      }
    }
  }
  for (const [name, list] of times) {
    const median = list.toSorted((left, right) => left - right)[Math.floor(list.length / 2)] ?? 0;
    console.log(`${name.padEnd(32)} median ${median.toFixed(2)} ms`);
  }
} finally {
  await service.stop();
}

/** The first page, and the one behind it. */
async function pagesOf(visitor: Visitor): Promise<Record<string, NonNullable<CallOptions['query']>>> {
  const { body } = await visitor.call('GET /uploads', { query: { limit: '40' } });
  return { 'first page': {}, 'second page': { cursor: body.next_cursor ?? '' } };
}

async function accountWith(count: number): Promise<Visitor> {
  const visitor = await signedInVisitor(service);
  const now = Date.now();
  await service.database.transaction(async ({ uploads }) => {
    for (let index = 0; index < count; index += 1) {
      await uploads.insert({
        id: newId(),
        slug: newSlug(),
        account_id: visitor.accountId,
        key_id: null,
        filename: `picture-${index}.png`,
        content_type: 'image/png',
        size_bytes: 1_000,
        width: 10,
        height: 10,
        sha256: '',
        delete_token_hash: '',
        created_at: now - index * 1_000,
        expires_at: index % 3 === 0 ? now + 90 * 86_400_000 : null,
        deleted_at: null,
      });
    }
  });
  return visitor;
}
