// The password that changes to the account ask for again.
import { textOf } from '#app/forms.ts';
import { TextField } from '#app/parts/field.tsx';

const name = 'current_password';

export function CurrentPassword() {
  return (
    <TextField
      label="Current password"
      name={name}
      type="password"
      autoComplete="current-password"
      required
      maxLength={128}
    />
  );
}

/** For the body of the request; empty for an account without a password. */
export function currentPasswordOf(form: FormData): { current_password?: string } {
  const password = textOf(form, name);
  return password === '' ? {} : { current_password: password };
}
