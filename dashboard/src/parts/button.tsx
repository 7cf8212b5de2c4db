// Buttons, and links that look like them.
import type { ComponentProps } from 'react';
import { Icon, type IconName } from '#app/parts/icon.tsx';
import { linkTo } from '#app/router.tsx';

type Tone = 'plain' | 'primary' | 'danger' | 'remove' | 'quiet';

const tones: Record<Tone, string> = {
  plain: 'border-edge/60 bg-card text-ink hover:border-quiet',
  primary: 'border-accent bg-accent text-on-accent hover:brightness-110',
  danger: 'border-danger bg-danger text-card hover:brightness-110',
  /** For a destructive action that asks first. */
  remove: 'border-edge/60 bg-card text-danger hover:border-danger',
  quiet: 'border-transparent text-quiet hover:bg-ink/5 hover:text-ink',
};

const shape = (tone: Tone, small: boolean, className: string): string =>
  `inline-flex items-center justify-center gap-2 rounded-[9px] border font-medium whitespace-nowrap transition ` +
  `disabled:opacity-55 ${small ? 'min-h-8 px-2.5 text-sm' : 'min-h-10 px-4'} ${tones[tone]} ${className}`;

interface Look {
  tone?: Tone;
  small?: boolean;
  icon?: IconName;
}

export function Button({
  tone = 'plain',
  small = false,
  icon,
  busy = false,
  className = '',
  children,
  disabled,
  ...rest
}: ComponentProps<'button'> & Look & { busy?: boolean }) {
  return (
    <button
      type="button"
      {...rest}
      disabled={disabled === true || busy}
      aria-busy={busy || undefined}
      className={shape(tone, small, className)}
    >
      {busy ? <Spinner /> : icon && <Icon name={icon} className={small ? 'size-4' : 'size-[1.15rem]'} />}
      {children}
    </button>
  );
}

/** A button with only an icon; its label is for screen readers and the tooltip. */
export function IconButton({
  icon,
  label,
  className = '',
  ...rest
}: ComponentProps<'button'> & { icon: IconName; label: string }) {
  return (
    <button
      type="button"
      title={label}
      aria-label={label}
      {...rest}
      className={`inline-flex size-9 shrink-0 items-center justify-center rounded-[9px] text-quiet transition hover:bg-ink/5 hover:text-ink disabled:opacity-55 ${className}`}
    >
      <Icon name={icon} className="size-[1.15rem]" />
    </button>
  );
}

export function LinkButton({ to, onClick, ...rest }: ComponentProps<'a'> & Look & { to: string }) {
  return <AnchorButton {...rest} {...linkTo(to, onClick)} />;
}

/** A link that leaves the dashboard: to a file, a hosted page or the docs. */
export function AnchorButton({
  tone = 'plain',
  small = false,
  icon,
  className = '',
  children,
  ...rest
}: ComponentProps<'a'> & Look) {
  return (
    <a {...rest} className={shape(tone, small, className)}>
      {icon && <Icon name={icon} className={small ? 'size-4' : 'size-[1.15rem]'} />}
      {children}
    </a>
  );
}

export function Spinner() {
  return (
    <span
      className="size-4 animate-spin rounded-full border-2 border-current border-r-transparent"
      aria-hidden="true"
    />
  );
}
