// The inputs of a form, each as its field's kind needs it.
import { hintOf, patternOf, type Field, type Values } from '#app/pages/playground/fields.ts';
import { Checkbox, SelectField, TextArea, TextField } from '#app/parts/field.tsx';

export function Inputs({
  fields,
  values,
  onValues,
}: {
  fields: Field[];
  values: Values;
  onValues: (values: Values) => void;
}) {
  return (
    <div className="grid grid-cols-2 gap-4">
      {fields.map((field, index) => (
        <Input
          key={field.path}
          field={field}
          isRowStart={outerOf(field) !== outerOf(fields[index - 1])}
          value={values[field.path] ?? field.fallback}
          onChange={(value) => onValues({ ...values, [field.path]: value })}
        />
      ))}
    </div>
  );
}

/** The object that a field is in, whose fields begin a row. */
const outerOf = (field: Field | undefined): string | undefined => /^(.*)\./.exec(field?.path ?? '')?.[1];

interface Of<Value> {
  field: Field;
  value: Value;
  onChange: (value: string | number | boolean) => void;
}

function Input({
  field,
  value,
  onChange,
  isRowStart,
}: Of<string | number | boolean> & { isRowStart: boolean }) {
  const { label, path, kind, schema, fallback, isWide, isSecret } = field;
  const hint = hintOf(field);
  const common = {
    label,
    name: path,
    className: isWide ? 'col-span-2' : isRowStart ? 'col-start-1' : '',
    ...(hint !== undefined && { hint }),
  };
  if (kind === 'several') return <Several field={field} value={String(value)} onChange={onChange} />;
  if (kind === 'flag')
    return (
      <div className="col-span-2">
        <Checkbox
          label={label}
          name={path}
          hint={hint}
          checked={value === true}
          onChange={(event) => onChange(event.target.checked)}
        />
      </div>
    );
  if (kind === 'choice')
    return (
      <SelectField
        {...common}
        value={String(value)}
        choices={[...(fallback === '' ? [''] : []), ...(schema.enum ?? [])].map((choice) => ({
          value: choice,
          text: choice || 'Not set',
        }))}
        onChange={(event) => onChange(event.target.value)}
      />
    );
  if (kind === 'number')
    return (
      <TextField
        {...common}
        title={schema.description}
        type="number"
        value={String(value)}
        min={schema.minimum}
        max={schema.maximum}
        step={schema.type === 'integer' ? 1 : 'any'}
        onChange={({ target }) => onChange(target.value === '' ? '' : Number(target.value))}
      />
    );
  if (kind === 'text')
    return (
      <TextField
        {...common}
        {...(isSecret && { autoComplete: 'off' })}
        title={schema.description}
        type={path.endsWith('password') ? 'password' : schema.format === 'uri' ? 'url' : 'text'}
        value={String(value)}
        pattern={patternOf(schema)}
        maxLength={schema.maxLength}
        onChange={({ target }) => onChange(target.value)}
      />
    );
  return <CodeArea {...common} value={String(value)} onChange={onChange} />;
}

/** Some of a few names, as check boxes. */
function Several({ field, value, onChange }: Of<string>) {
  const { label, path, schema } = field;
  const names = schema.items?.enum ?? [];
  const chosen = value.split('\n');
  const toggle = (name: string) => names.filter((one) => chosen.includes(one) !== (one === name)).join('\n');
  return (
    <fieldset className="col-span-2 grid gap-1.5">
      <legend className="mb-1.5 text-sm font-medium">{label}</legend>
      <div className="flex flex-wrap gap-x-5 gap-y-1.5">
        {names.map((name) => (
          <Checkbox
            key={name}
            name={path}
            label={name.replaceAll('_', ' ')}
            checked={chosen.includes(name)}
            onChange={() => onChange(toggle(name))}
          />
        ))}
      </div>
      <p className="text-sm text-quiet">{hintOf(field)}</p>
    </fieldset>
  );
}

/** A text of several lines, such as a document or a list. */
export function CodeArea({
  value,
  onChange,
  ...rest
}: Omit<React.ComponentProps<typeof TextArea>, 'value' | 'onChange'> & {
  value: string;
  onChange: (value: string) => void;
}) {
  return (
    <TextArea
      autoComplete="off"
      autoCapitalize="off"
      spellCheck={false}
      {...rest}
      isCode
      value={value}
      onChange={({ target }) => onChange(target.value)}
    />
  );
}
