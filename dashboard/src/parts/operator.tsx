// Where people write to the operator, wherever they are told to.
import { useInstance } from '#app/session.ts';

/** `the operator (ops@example.com)`: an address or a link can be followed. */
export function Operator() {
  const { data: instance } = useInstance();
  const contact = instance?.operator_contact ?? null;
  return (
    <>
      the operator of this service
      {contact !== null && (
        <>
          {' '}
          (<Contact text={contact} />)
        </>
      )}
    </>
  );
}

function Contact({ text }: { text: string }) {
  const address = /^https?:\/\/\S+$/.test(text)
    ? text
    : /^[^\s@]+@[^\s@]+$/.test(text)
      ? `mailto:${text}`
      : undefined;
  if (address === undefined) return <span className="wrap-anywhere">{text}</span>;
  return (
    <a href={address} className="font-medium text-accent underline underline-offset-2 wrap-anywhere">
      {text}
    </a>
  );
}
