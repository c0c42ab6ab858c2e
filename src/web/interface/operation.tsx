// One operation in full: what it takes, what it answers, examples of both, and a form that asks for it.
import { serverAddress } from '../api/base.ts';
import {
  answerOf,
  boundsOf,
  type Content,
  curlOf,
  type Document,
  type Endpoint,
  exampleOf,
  type Parameter,
  parameterType,
  schemaLines,
} from '../format/open-api.ts';
import { indentedXml } from '../format/xml.ts';
import { Copy, Sentence } from '../parts/basics.tsx';
import { Code } from './code.tsx';
import { TryIt } from './try-it.tsx';

const json = 'application/json';
const xml = 'application/xml';

export function OperationDetail({ document, endpoint }: { readonly document: Document; readonly endpoint: Endpoint }) {
  const { method, operation } = endpoint;
  const { parameters = [], requestBody, responses = {} } = operation;
  const body = requestBody?.content?.[json];
  const bodyExample = body && exampleOf(document, body);
  const curl = curlOf(serverAddress(''), endpoint, bodyExample);
  return (
    <div className="operation">
      <div className="operation-part">
        <h3>With curl</h3>
        <Code label="With curl" text={curl} />
        <Copy text={curl} />
      </div>
      {parameters.length > 0 && <Parameters document={document} parameters={parameters} />}
      {requestBody?.content && (
        <div className="operation-part">
          <h3>Body</h3>
          <Contents document={document} contents={requestBody.content} what="Body" />
        </div>
      )}
      <div className="operation-part">
        <h3>Answers</h3>
        {Object.entries(responses).map(([status, told]) => {
          const answer = answerOf(document, told);
          return (
            <section className="answer" key={status} aria-label={`Answer ${status}`}>
              <p>
                <b className={status < '400' ? 'is-good' : ''}>{status === 'default' ? 'others' : status}</b>{' '}
                <Sentence text={answer.description} />
              </p>
              {Object.entries(answer.headers ?? {}).map(([name, header]) => (
                <p className="quiet" key={name}>
                  Header <code>{name}</code>: <Sentence text={header.description} />
                </p>
              ))}
              {status < '400' && answer.content && <Contents document={document} contents={answer.content} what={`Answer ${status}`} />}
            </section>
          );
        })}
      </div>
      {method === 'GET' && <TryIt endpoint={endpoint} />}
    </div>
  );
}

function Parameters({ document, parameters }: { readonly document: Document; readonly parameters: readonly Parameter[] }) {
  return (
    <div className="operation-part">
      <h3>Parameters</h3>
      <dl className="members">
        {parameters.map((parameter) => (
          <div key={`${parameter.in} ${parameter.name}`}>
            <dt>
              <code>{parameter.name}</code>
            </dt>
            <dd>
              <span className="quiet">
                {parameter.in}, {parameterType(document, parameter)}
                {parameter.required && ', required'}
              </span>{' '}
              <Sentence text={parameter.description} /> <Bounds text={boundsOf(document, parameter.schema ?? {})} />
            </dd>
          </div>
        ))}
      </dl>
    </div>
  );
}

const Bounds = ({ text }: { readonly text: string }) => (text === '' ? null : <span className="quiet">({text})</span>);

/** Media types, the members of JSON, and examples. */
function Contents({
  document,
  contents,
  what,
}: {
  readonly document: Document;
  readonly contents: Readonly<Record<string, Content>>;
  readonly what: string;
}) {
  const told = contents[json];
  const lines = told?.schema ? schemaLines(document, told.schema) : [];
  const example = told && exampleOf(document, told);
  const inXml = contents[xml] && exampleOf(document, contents[xml]);
  const examples = [
    ...(example === undefined ? [] : [{ name: 'example', text: JSON.stringify(example, null, 2) }]),
    ...(typeof inXml === 'string' ? [{ name: 'example in XML', text: indentedXml(inXml) }] : []),
  ];
  return (
    <>
      <p className="quiet">{Object.keys(contents).join(', ')}</p>
      {examples.map(({ name, text }, index) => (
        <details key={name} open={index === 0 && text.length < 1500}>
          <summary>{name.replace('e', 'E')}</summary>
          <Code label={`${what}: ${name}`} text={text} />
          <Copy text={text} />
        </details>
      ))}
      {lines.length > 0 && (
        <details>
          <summary>
            {lines.length} {lines.length === 1 ? 'member' : 'members'}
          </summary>
          <dl className="members">
            {lines.map(({ depth, name, type, isRequired, about }, index) => (
              <div key={index} className={`depth-${Math.min(depth, 5)}`}>
                <dt>
                  <code>{name}</code>
                </dt>
                <dd>
                  <span className="quiet">
                    {type}
                    {isRequired && ', required'}
                  </span>{' '}
                  <Bounds text={about} />
                </dd>
              </div>
            ))}
          </dl>
        </details>
      )}
    </>
  );
}
