// Splits a list of ids over as many requests as the service needs for it.
import { limits } from '#core/limits.ts';

/** Sends the chunks one after the other and joins what they return. */
export async function inChunks<Done>(
  ids: string[],
  send: (some: string[]) => Promise<Done[]>,
): Promise<Done[]> {
  const done: Done[] = [];
  for (let start = 0; start < ids.length; start += limits.idsPerRequest)
    done.push(...(await send(ids.slice(start, start + limits.idsPerRequest))));
  return done;
}
