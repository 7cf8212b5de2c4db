export async function started(work: () => Promise<void>): Promise<void> {
  void work();
}
