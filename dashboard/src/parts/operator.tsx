// The operator's contact, for messages that ask people to write to the operator.
import { useInstance } from '#app/session.ts';

/** `the operator of this service (ops@example.com)`; an e-mail address or a URL becomes a link. */
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
