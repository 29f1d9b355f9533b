import { Copy, Play, Square } from 'lucide-react'
import { type ReactNode, useState } from 'react'
import { Link } from 'react-router'
import { SearchBar } from '../../features/Search/SearchBar.tsx'
import { Button, buttonClass } from '../../ui/Button.tsx'
import { copyText } from '../../ui/copyText.ts'
import { TextField } from '../../ui/Input.tsx'
import { CodeEditor } from './CodeEditor.tsx'
import { EXAMPLES, type Example } from './examples.ts'
import { curlOf } from './runOperation.ts'
import { useRun } from './useRun.ts'
import { words } from './words.ts'

const [FIRST] = EXAMPLES as readonly [Example, ...Example[]]

/** Writes and runs GraphQL operations, as oneself or with a key. */
export function GraphqlExplorer() {
  const [query, setQuery] = useState(FIRST.query)
  const [variables, setVariables] = useState(FIRST.variables)
  const [key, setKey] = useState('')
  const { answer, note, isBusy, run, stop, fail } = useRun()
  const parsed = parseVariables(variables)
  const start = () => (parsed ? run({ query, variables: parsed, key: key.trim() }) : fail(words.badVariables))
  const choose = (example: Example) => {
    setQuery(example.query)
    setVariables(example.variables)
  }
  return (
    <>
      <title>{words.pageTitle}</title>
      <SearchBar title={words.title} />
      <div className="page">
        <div className="page-in">
          <Head />
          <nav className="gql-examples" aria-label={words.examples}>
            {EXAMPLES.map((example) => (
              <Button key={example.id} size="sm" onClick={() => choose(example)}>
                {example.name}
              </Button>
            ))}
          </nav>
          <div className="gql">
            <Pane title={words.operation} className="gql-op">
              <CodeEditor language="graphql" label={words.operation} text={query} onChange={setQuery} onRun={start} />
            </Pane>
            <Pane title={words.variables} className="gql-vars">
              <CodeEditor
                language="json"
                label={words.variables}
                text={variables}
                onChange={setVariables}
                onRun={start}
              />
            </Pane>
            <Pane title={words.answer} note={note} className="gql-answer">
              <CodeEditor language="json" label={words.answer} text={answer} readOnly />
            </Pane>
          </div>
          <div className="gql-run">
            <TextField
              label={words.key}
              hint={words.keyHint}
              type="password"
              autoComplete="off"
              spellCheck={false}
              value={key}
              onChange={(event) => setKey(event.currentTarget.value)}
            />
            <div className="hstack">
              {isBusy ? (
                <Button icon={Square} onClick={stop}>
                  {words.stop}
                </Button>
              ) : (
                <Button variant="primary" icon={Play} onClick={start}>
                  {words.run}
                </Button>
              )}
              <Button
                icon={Copy}
                onClick={() => copyText(curlOf({ query, variables: parsed ?? {} }, window.location.origin))}
              >
                {words.copyCurl}
              </Button>
            </div>
            <p className="hint">{words.runHint}</p>
          </div>
        </div>
      </div>
    </>
  )
}

function Head() {
  return (
    <div className="page-head">
      <div className="grow">
        <h1>{words.title}</h1>
        <p>
          {words.intro}{' '}
          <a className="link" href="/api/v1/docs">
            {words.restDocs}
          </a>
        </p>
      </div>
      <Link to="/key-management" className={buttonClass()}>
        {words.keys}
      </Link>
    </div>
  )
}

type PaneProps = { title: string; note?: string; className: string; children: ReactNode }

function Pane({ title, note, className, children }: PaneProps) {
  return (
    <section className={`gql-pane ${className}`}>
      <h2>
        {title}
        {note !== undefined && (
          <span role="status" className="meta subtle">
            {note}
          </span>
        )}
      </h2>
      {children}
    </section>
  )
}

function parseVariables(text: string): Record<string, unknown> | null {
  try {
    const value: unknown = text.trim() === '' ? {} : JSON.parse(text)
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : null
  } catch {
    return null
  }
}
