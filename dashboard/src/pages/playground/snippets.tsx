// The same call as code, in three languages.
import { useState } from 'react';
import { Code } from '#app/parts/copy.tsx';
import { Segments } from '#app/parts/field.tsx';
import { Section } from '#app/parts/page.tsx';
import { Link } from '#app/router.tsx';
import { keyPlaceholder, type Language } from '#app/snippets.ts';
import { textLink } from '#app/pages/entry/frame.tsx';

export function Snippets({ code }: { code: (language: Language) => string }) {
  const [language, setLanguage] = useState<Language>('curl');
  return (
    <Section
      title="The same call"
      intro={
        <>
          Put one of{' '}
          <Link to="/keys" className={textLink}>
            your keys
          </Link>{' '}
          in place of {keyPlaceholder}.
        </>
      }
      actions={
        <Segments
          label="Language"
          choices={[
            { value: 'curl', text: 'curl' },
            { value: 'typescript', text: 'TypeScript' },
            { value: 'python', text: 'Python' },
          ]}
          value={language}
          onChange={(value) => setLanguage(value as Language)}
        />
      }
    >
      <Code text={code(language)} what="Code" />
    </Section>
  );
}
