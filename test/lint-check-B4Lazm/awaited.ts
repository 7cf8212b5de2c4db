export async function started(work: () => Promise<void>): Promise<void> {
  await work();
}
