// The frame before it is known who is signed in. index.html has the same markup, for the time until the script runs.
export function FrameSkeleton() {
  return (
    <div className="min-h-dvh lg:grid lg:grid-cols-[16rem_minmax(0,1fr)]">
      <div className="border-b px-4 py-3 text-lg font-semibold lg:border-r lg:border-b-0 lg:px-6 lg:py-6">
        Tintype
      </div>
      <div
        role="status"
        aria-label="Loading"
        className="mx-auto grid w-full max-w-6xl animate-pulse content-start gap-6 px-4 pt-6 sm:px-8 lg:pt-9"
      >
        <div className="h-9 w-48 rounded-[9px] bg-ink/5" />
        <div className="h-40 rounded-[14px] bg-ink/5" />
        <div className="h-40 rounded-[14px] bg-ink/5" />
      </div>
    </div>
  );
}
