// The same call as code, in three languages and for the terminal.
import { useState } from 'react';
import { Code } from '#app/parts/copy.tsx';
import { Segments } from '#app/parts/field.tsx';
import { Section } from '#app/parts/page.tsx';
import { Link } from '#app/router.tsx';
import { keyPlaceholder, type Language } from '#app/snippets.ts';
import { textLink } from '#app/pages/entry/frame.tsx';

export type Form = Language | 'tt';

export function Snippets({ code }: { code: (form: Form) => string }) {
  const [form, setForm] = useState<Form>('curl');
  return (
    <Section
      title="The same call"
      intro={
        <>
          Put one of{' '}
          <Link to="/keys" className={textLink}>
            your keys
          </Link>{' '}
          in place of {keyPlaceholder}; <code className="font-mono">tt</code> asks for it once.
        </>
      }
      actions={
        <Segments
          label="Language"
          choices={[
            { value: 'curl', text: 'curl' },
            { value: 'typescript', text: 'TypeScript' },
            { value: 'python', text: 'Python' },
            { value: 'tt', text: 'tt' },
          ]}
          value={form}
          onChange={(value) => setForm(value as Form)}
        />
      }
    >
      <Code text={code(form)} what="Code" />
    </Section>
  );
}
