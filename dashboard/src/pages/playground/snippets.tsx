// The same call as code, in three languages and for the terminal.
import { useState } from 'react';
import { Code } from '#app/parts/copy.tsx';
import { Segments } from '#app/parts/field.tsx';
import { Section } from '#app/parts/page.tsx';
import { Link } from '#app/router.tsx';
import { textLink } from '#app/pages/entry/frame.tsx';
import { keyPlaceholder, languages, type Language } from '#site/docs/samples.ts';

export type Form = Language | 'tt';

export function Snippets({ code }: { code: (form: Form) => string }) {
  const [form, setForm] = useState<Form>('curl');
  return (
    <Section
      title="As code"
      intro={
        <>
          It runs as it stands once <code className="font-mono">{keyPlaceholder.slice(1)}</code> holds one of{' '}
          <Link to="/keys" className={textLink}>
            your keys
          </Link>
          ; <code className="font-mono">tt</code> asks for it once.
        </>
      }
      actions={
        <Segments
          label="Language"
          choices={Object.entries({ ...languages, tt: 'tt' }).map(([value, text]) => ({ value, text }))}
          value={form}
          onChange={(value) => setForm(value as Form)}
        />
      }
    >
      <Code text={code(form)} what="Code" />
    </Section>
  );
}
