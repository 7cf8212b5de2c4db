// Every API call as a form, with its result and the same call as code.
import { useCallback, useEffect, useState } from 'react';
import { bodyOf, formFields, valuesOf, withScheme, type Values } from '#app/pages/playground/fields.ts';
import { RenderForm, UploadForm } from '#app/pages/playground/forms.tsx';
import { RenderAnyForm } from '#app/pages/playground/render-form.tsx';
import { fields, keptOf, requestOf, sourceOf } from '#app/pages/playground/render-groups.ts';
import { Result } from '#app/pages/playground/result.tsx';
import { useRun } from '#app/pages/playground/run.ts';
import { Snippets, type Form } from '#app/pages/playground/snippets.tsx';
import { ttRender, ttRenderAny, ttUpload } from '#app/pages/playground/tt-command.ts';
import { Segments } from '#app/parts/field.tsx';
import { Page } from '#app/parts/page.tsx';
import { useSettled } from '#app/parts/use-settled.ts';
import { patchSearch, useSearch } from '#app/router.tsx';
import { useInstance, type Session } from '#app/session.ts';
import { sampleOf } from '#site/docs/samples.ts';
import { PdfRequest, RenderRequest, ScreenshotRequest } from '#shared/requests.ts';

const tabs = ['screenshot', 'pdf', 'render', 'upload'] as const;

const requests = { screenshot: ScreenshotRequest, pdf: PdfRequest };
const forms = { screenshot: formFields(ScreenshotRequest), pdf: formFields(PdfRequest) };

export function Playground({ session }: { session: Session }) {
  const [search, setSearch] = useSearch();
  const tab = tabs.find((name) => name === search.get('tab')) ?? 'screenshot';
  const keepBody = useCallback((body: string) => patchSearch({ body }), []);
  return (
    <Page
      title="Playground"
      intro="Calls spend real units and requests, as the API does. Only what differs from the defaults is sent."
    >
      <div>
        <Segments
          label="What to try"
          choices={[
            { value: 'screenshot', text: 'Screenshot' },
            { value: 'pdf', text: 'PDF' },
            { value: 'render', text: 'Render' },
            { value: 'upload', text: 'Upload' },
          ]}
          value={tab}
          onChange={(next) => setSearch({ tab: next })}
        />
      </div>
      {tab === 'upload' ? (
        <TryUpload key="upload" session={session} />
      ) : tab === 'render' ? (
        <TryAny key="render" session={session} given={readBody(search.get('body'))} onBody={keepBody} />
      ) : (
        <TryRender
          key={tab}
          kind={tab}
          session={session}
          given={readBody(search.get('body'))}
          onBody={keepBody}
        />
      )}
    </Page>
  );
}

function TryRender({
  kind,
  session,
  given,
  onBody,
}: {
  kind: keyof typeof forms;
  session: Session;
  given: Record<string, unknown>;
  onBody: (body: string) => void;
}) {
  const fields = forms[kind];
  const [url, setUrl] = useState(typeof given['url'] === 'string' ? given['url'] : 'https://example.com');
  const [values, setValues] = useState<Values>(() => valuesOf(given, fields));
  const { data: instance } = useInstance();
  const run = useRun();
  const body = bodyOf({ url: withScheme(url.trim()) }, fields, values);
  // The form's values are in the URL, so that a reload, the Back button and the other tab restore them.
  const text = JSON.stringify(body);
  const { body: settled } = useSettled({ body: text });
  useEffect(() => onBody(settled), [settled, onBody]);
  const baseUrl = instance?.base_url ?? location.origin;
  const code = (form: Form) =>
    form === 'tt'
      ? ttRender(baseUrl, kind, requests[kind], body)
      : sampleOf(form, { baseUrl, endpoint: kind, body });
  return (
    <Columns
      form={
        <RenderForm
          fields={fields}
          url={url}
          onUrl={setUrl}
          values={values}
          onValues={setValues}
          canRun={session.verified}
          isRunning={run.startedAt !== undefined}
          onRun={() => run.start(`POST /playground/${kind}`, body)}
        />
      }
      result={<Result run={run} what={kind === 'pdf' ? 'PDF' : 'screenshot'} />}
      code={<Snippets code={code} />}
    />
  );
}

/** Version 2: any source to any format. */
function TryAny({
  session,
  given,
  onBody,
}: {
  session: Session;
  given: Record<string, unknown>;
  onBody: (body: string) => void;
}) {
  const [source, setSource] = useState(() => sourceOf(given));
  const [values, setValues] = useState<Values>(() => valuesOf(given, fields));
  const { data: instance } = useInstance();
  const run = useRun();
  const body = requestOf(source, values);
  const { body: settled } = useSettled({ body: keptOf(body) });
  useEffect(() => onBody(settled), [settled, onBody]);
  const baseUrl = instance?.base_url ?? location.origin;
  const code = (form: Form) =>
    form === 'tt'
      ? ttRenderAny(baseUrl, RenderRequest, body)
      : sampleOf(form, { baseUrl, endpoint: 'render', body });
  return (
    <Columns
      form={
        <RenderAnyForm
          source={source}
          onSource={setSource}
          values={values}
          onValues={setValues}
          canRun={session.verified}
          isRunning={run.startedAt !== undefined}
          onRun={() => run.start('POST /playground/render', body)}
        />
      }
      result={<Result run={run} what="render" />}
      code={<Snippets code={code} />}
    />
  );
}

function TryUpload({ session }: { session: Session }) {
  const [file, setFile] = useState<File>();
  const [expiresIn, setExpiresIn] = useState<number>();
  const { data: instance } = useInstance();
  const run = useRun();
  const baseUrl = instance?.base_url ?? location.origin;
  const name = file?.name ?? 'photo.png';
  const expiry = expiresIn === undefined ? {} : { expires_in: expiresIn };
  const code = (form: Form) =>
    form === 'tt'
      ? ttUpload(baseUrl, name, expiresIn)
      : sampleOf(form, { baseUrl, endpoint: 'upload', body: { file: name, ...expiry } });
  return (
    <Columns
      form={
        <UploadForm
          onFile={setFile}
          expiresIn={expiresIn}
          onExpiresIn={setExpiresIn}
          canRun={session.verified && file !== undefined}
          isRunning={run.startedAt !== undefined}
          onRun={() => {
            if (!file) return;
            const form = new FormData();
            form.set('file', file);
            if (expiresIn !== undefined) form.set('expires_in', String(expiresIn));
            run.start('POST /playground/upload', form);
          }}
        />
      }
      result={<Result run={run} what="upload" />}
      code={<Snippets code={code} />}
    />
  );
}

function Columns({
  form,
  result,
  code,
}: {
  form: React.ReactNode;
  result: React.ReactNode;
  code: React.ReactNode;
}) {
  return (
    <div className="grid gap-5 lg:grid-cols-[22rem_minmax(0,1fr)]">
      {form}
      <div className="grid min-w-0 content-start gap-5">
        {result}
        {code}
      </div>
    </div>
  );
}

function readBody(text: string | null): Record<string, unknown> {
  try {
    return JSON.parse(text ?? '{}') as Record<string, unknown>;
  } catch {
    return {};
  }
}
