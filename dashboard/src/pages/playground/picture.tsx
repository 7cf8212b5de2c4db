// A picture at its own size, in a frame that scrolls if it is tall.

export function Picture({ address, alt }: { address: string; alt: string }) {
  return (
    <div
      role="region"
      aria-label={`${alt}, scrollable`}
      // A region that scrolls can be reached and scrolled by keyboard.
      // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex
      tabIndex={0}
      className="max-h-[36rem] overflow-auto rounded-[10px] border checkered"
    >
      <img src={address} alt={alt} className="mx-auto" />
    </div>
  );
}
