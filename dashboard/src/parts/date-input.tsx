// A date, or a date with a time, in one line with its label.
import { useId } from 'react';

export function DateInput({
  type,
  label,
  max,
  value,
  onChange,
}: {
  type: 'date' | 'datetime-local';
  label: string;
  max?: string;
  value: string;
  onChange: (value: string) => void;
}) {
  const id = useId();
  return (
    <span className="inline-flex items-center gap-2 text-sm max-sm:w-full">
      <label htmlFor={id} className="w-10 text-quiet">
        {label}
      </label>
      <input
        id={id}
        type={type}
        max={max}
        className="control w-auto max-sm:flex-1"
        value={value}
        onChange={({ target }) => onChange(target.value)}
      />
    </span>
  );
}
