// Files made for the signed-in account, with a key of their own in them.
import { useState } from 'react';
import type { AnswerOf } from '#http/dashboard/contract.ts';
import { call } from '#app/api.ts';
import { Button } from '#app/parts/button.tsx';
import { Code } from '#app/parts/copy.tsx';
import { Page, Section } from '#app/parts/page.tsx';
import { useAction } from '#app/parts/use-action.ts';

type Made = AnswerOf<'POST /integrations'>;
type Tool = 'sharex' | 'shell';

const tools: { tool: Tool; title: string; intro: string; action: string; next: string }[] = [
  {
    tool: 'sharex',
    title: 'ShareX',
    intro:
      'A custom uploader for Windows: screenshots and files go up with one key press, and the link is on the clipboard.',
    action: 'Make an uploader file',
    next: 'Open the file with ShareX and make it the active image uploader.',
  },
  {
    tool: 'shell',
    title: 'Shell',
    intro: 'A function for bash and zsh: name a file, get its link.',
    action: 'Make a function',
    next: 'Paste it into your ~/.bashrc or ~/.zshrc, and open a new terminal.',
  },
];

export function Integrations() {
  return (
    <Page
      title="Integrations"
      intro="Each gets a key of its own, so that you can revoke it alone. The key is in the file, which is therefore shown this once."
    >
      {tools.map((tool) => (
        <ToolCard key={tool.tool} {...tool} />
      ))}
    </Page>
  );
}

function ToolCard({ tool, title, intro, action, next }: (typeof tools)[number]) {
  const [made, setMade] = useState<Made>();
  const make = useAction(() => call('POST /integrations', { body: { tool } }), {
    touches: ['keys', 'overview'],
    onDone: setMade,
  });
  return (
    <Section
      title={title}
      intro={intro}
      actions={
        <Button
          icon={made ? 'refresh' : 'plus'}
          tone={made ? 'plain' : 'primary'}
          busy={make.isPending}
          onClick={() => make.mutate(undefined)}
        >
          {made ? 'Make another' : action}
        </Button>
      }
    >
      {made && (
        <div className="grid gap-4" role="status">
          <p className="text-sm text-quiet">
            {next} It uses the key <strong className="font-medium text-ink">{made.key.name}</strong>.
          </p>
          <Code text={made.content} what={made.filename} />
          <div>
            <Button icon="download" onClick={() => save(made)}>
              Save {made.filename}
            </Button>
          </div>
        </div>
      )}
    </Section>
  );
}

function save({ filename, content, content_type }: Made): void {
  const address = URL.createObjectURL(new Blob([content], { type: content_type }));
  const link = document.createElement('a');
  link.href = address;
  link.download = filename;
  link.click();
  setTimeout(() => URL.revokeObjectURL(address), 60_000);
}
