// What went wrong with a form.
/** The problem of the last try, read out when it appears. */
export function FormProblem({ error }: { error: Error | null }) {
  return (
    <div role="alert" className="empty:-mt-4">
      {error && <p className="rounded-[9px] bg-danger-soft px-3 py-2 text-sm text-danger">{error.message}</p>}
    </div>
  );
}
