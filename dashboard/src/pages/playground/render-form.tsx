// The form of version 2: where the page comes from, then its fields in groups that open when they are needed.
import { fitting, type Field, type Values } from '#app/pages/playground/fields.ts';
import { Frame, type Running } from '#app/pages/playground/forms.tsx';
import { CodeArea, Inputs } from '#app/pages/playground/inputs.tsx';
import { Presets } from '#app/pages/playground/presets.tsx';
import {
  fields,
  formatFields,
  groups,
  sourceFields,
  type Source,
} from '#app/pages/playground/render-groups.ts';
import { Segments, TextField } from '#app/parts/field.tsx';
import { Icon } from '#app/parts/icon.tsx';
import { Chip } from '#app/parts/states.tsx';

export function RenderAnyForm({
  source,
  onSource,
  values,
  onValues,
  ...running
}: Running & {
  source: Source;
  onSource: (source: Source) => void;
  values: Values;
  onValues: (values: Values) => void;
}) {
  return (
    <Frame {...running} action="Run">
      <div>
        <Segments
          label="What to render"
          choices={[
            { value: 'url', text: 'Address' },
            { value: 'html', text: 'HTML' },
            { value: 'markdown', text: 'Markdown' },
          ]}
          value={source.kind}
          onChange={(kind) => onSource({ ...source, kind: kind as Source['kind'] })}
        />
      </div>
      {source.kind === 'url' ? (
        <TextField
          label="Address"
          name="url"
          inputMode="url"
          required
          placeholder="example.com"
          value={source.url}
          onChange={({ target }) => onSource({ ...source, url: target.value })}
          hint="A public http or https page."
        />
      ) : (
        <>
          <CodeArea
            key={source.kind}
            label={source.kind === 'html' ? 'HTML document' : 'Markdown document'}
            name={source.kind}
            required
            rows={8}
            value={source[source.kind]}
            onChange={(text) => onSource({ ...source, [source.kind]: text })}
          />
          <Inputs fields={sourceFields} values={values} onValues={onValues} />
        </>
      )}
      <Inputs fields={formatFields} values={values} onValues={onValues} />
      <Elsewhere />
      <div className="divide-y divide-line border-y">
        {groups.map(({ title, fields: own }) => {
          const shown = fitting(own, values);
          return (
            shown.length > 0 && (
              <Group key={title} title={title} set={setIn(shown, values)}>
                {title === 'View' && <Presets fields={fields} values={values} onValues={onValues} />}
                <Inputs fields={shown} values={values} onValues={onValues} />
              </Group>
            )
          );
        })}
      </div>
    </Frame>
  );
}

const setIn = (shown: Field[], values: Values): number =>
  shown.filter(({ path, fallback }) => (values[path] ?? fallback) !== fallback && values[path] !== '').length;

function Group({
  title,
  set,
  children,
}: {
  title: string;
  /** How many of its fields differ from their defaults. */
  set: number;
  children: React.ReactNode;
}) {
  return (
    <details
      className="group"
      // A browser cannot point at a field that it does not show.
      onInvalidCapture={({ currentTarget }) => {
        currentTarget.open = true;
      }}
    >
      <summary className="flex items-center gap-2 py-2.5 font-medium marker:content-none">
        <Icon name="right" className="size-4 text-quiet transition-transform group-open:rotate-90" />
        {title}
        {set > 0 && <Chip tone="accent">{set} set</Chip>}
      </summary>
      <div className="grid gap-4 pt-1 pb-5">{children}</div>
    </details>
  );
}

const Elsewhere = () => (
  <p className="text-sm text-quiet">
    Several outputs of one load, cookies and files: see the{' '}
    <a href="/docs#v2-createRender" className="text-accent underline">
      reference
    </a>
    .
  </p>
);
