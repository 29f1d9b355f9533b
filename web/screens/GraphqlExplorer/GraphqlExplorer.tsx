import { Copy, Play, Square } from 'lucide-react'
import { type ReactNode, useState } from 'react'
import { Link } from 'react-router'
import { SearchBar } from '../../features/Search/SearchBar.tsx'
import { cx } from '../../lib/cx.ts'
import { Button, buttonClass } from '../../ui/Button.tsx'
import { copyText } from '../../ui/copyText.ts'
import inputStyles from '../../ui/Input.module.css'
import { TextField } from '../../ui/Input.tsx'
import pageStyles from '../../ui/Page.module.css'
import { CodeEditor } from './CodeEditor.tsx'
import { EXAMPLES, type Example } from './examples.ts'
import styles from './GraphqlExplorer.module.css'
import { messages } from './messages.ts'
import { curlOf } from './runOperation.ts'
import { useRun } from './useRun.ts'

const [FIRST] = EXAMPLES as readonly [Example, ...Example[]]

/** Edits and runs GraphQL operations, with the user's session or with a key. */
export function GraphqlExplorer() {
  const [query, setQuery] = useState(FIRST.query)
  const [variables, setVariables] = useState(FIRST.variables)
  const [key, setKey] = useState('')
  const { answer, note, isBusy, run, stop, fail } = useRun()
  const parsed = parseVariables(variables)
  const start = () => (parsed ? run({ query, variables: parsed, key: key.trim() }) : fail(messages.badVariables))
  const choose = (example: Example) => {
    setQuery(example.query)
    setVariables(example.variables)
  }
  return (
    <>
      <title>{messages.pageTitle}</title>
      <SearchBar title={messages.title} />
      <div className={pageStyles.page}>
        <div className={pageStyles.inner}>
          <Head />
          <nav className={styles.examples} aria-label={messages.examples}>
            {EXAMPLES.map((example) => (
              <Button key={example.id} size="sm" onClick={() => choose(example)}>
                {example.name}
              </Button>
            ))}
          </nav>
          <div className={styles.explorer}>
            <Pane title={messages.operation}>
              <CodeEditor
                language="graphql"
                label={messages.operation}
                text={query}
                onChange={setQuery}
                onRun={start}
              />
            </Pane>
            <Pane title={messages.variables} className={styles.variables}>
              <CodeEditor
                language="json"
                label={messages.variables}
                text={variables}
                onChange={setVariables}
                onRun={start}
              />
            </Pane>
            <Pane title={messages.answer} note={note} className={styles.answer}>
              <CodeEditor language="json" label={messages.answer} text={answer} readOnly />
            </Pane>
          </div>
          <div className={styles.run}>
            <TextField
              label={messages.key}
              hint={messages.keyHint}
              type="password"
              autoComplete="off"
              spellCheck={false}
              value={key}
              onChange={(event) => setKey(event.currentTarget.value)}
            />
            <div className="hstack">
              {isBusy ? (
                <Button icon={Square} onClick={stop}>
                  {messages.stop}
                </Button>
              ) : (
                <Button variant="primary" icon={Play} onClick={start}>
                  {messages.run}
                </Button>
              )}
              <Button
                icon={Copy}
                onClick={() => copyText(curlOf({ query, variables: parsed ?? {} }, window.location.origin))}
              >
                {messages.copyCurl}
              </Button>
            </div>
            <p className={inputStyles.hint}>{messages.runHint}</p>
          </div>
        </div>
      </div>
    </>
  )
}

function Head() {
  return (
    <div className={pageStyles.head}>
      <div className="grow">
        <h1>{messages.title}</h1>
        <p>
          {messages.intro}{' '}
          <a className="link" href="/api/v1/docs">
            {messages.restDocs}
          </a>
        </p>
      </div>
      <Link to="/key-management" className={buttonClass()}>
        {messages.keys}
      </Link>
    </div>
  )
}

type PaneProps = { title: string; note?: string; className?: string | undefined; children: ReactNode }

function Pane({ title, note, className, children }: PaneProps) {
  return (
    <section className={cx(styles.pane, className)}>
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
