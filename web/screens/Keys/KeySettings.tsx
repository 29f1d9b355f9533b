import { Copy, ShieldCheck, SquareTerminal } from 'lucide-react'
import { Link } from 'react-router'
import cardStyles from '../../ui/Card.module.css'
import { copyText } from '../../ui/copyText.ts'
import { Icon } from '../../ui/Icon.tsx'
import { IconButton } from '../../ui/IconButton.tsx'
import { graphqlExample, restExample } from './examples.ts'
import styles from './Keys.module.css'
import { messages } from './messages.ts'

type ActiveKey = { readonly name: string; readonly key: string }

/** How keys are kept safe, and a first call that works as it stands. */
export function KeySettings({ active }: { active: ActiveKey | undefined }) {
  return (
    <div className="mt-6 grid gap-4">
      <section className={cardStyles.card} aria-labelledby="key-security">
        <div className={cardStyles.padded}>
          <h2 className="h2 hstack" id="key-security">
            <Icon icon={ShieldCheck} className="subtle" />
            {messages.security.title}
          </h2>
          <dl className="mt-4 grid gap-4 md:grid-cols-3">
            {messages.security.points.map(([title, text]) => (
              <div key={title}>
                <dt className="strong">{title}</dt>
                <dd className="muted mt-1">{text}</dd>
              </div>
            ))}
          </dl>
        </div>
      </section>
      <FirstCall active={active} />
    </div>
  )
}

function FirstCall({ active }: { active: ActiveKey | undefined }) {
  const { origin } = window.location
  const { first } = messages
  return (
    <section className={cardStyles.card} aria-labelledby="first-call">
      <div className={cardStyles.padded}>
        <h2 className="h2 hstack" id="first-call">
          <Icon icon={SquareTerminal} className="subtle" />
          {first.title}
        </h2>
        <p className="muted mt-1">
          {first.text} {active ? first.withKey(active.name) : first.withoutKey}
        </p>
        <Example name={first.rest} code={restExample(origin, active?.key)} />
        <Example name={first.graphql} code={graphqlExample(origin, active?.key)} />
      </div>
      <div className={`${cardStyles.foot} gap-4`}>
        <a className="link" href="/api/v1/docs">
          {first.restDocs}
        </a>
        <Link className="link" to="/docs/graphql">
          {first.graphqlDocs}
        </Link>
      </div>
    </section>
  )
}

function Example({ name, code }: { name: string; code: string }) {
  return (
    <figure className={`${styles.code} mt-4`}>
      <figcaption className="hstack">
        <span className="strong grow">{name}</span>
        <IconButton size="sm" label={messages.first.copy(name)} icon={Copy} onClick={() => void copyText(code)} />
      </figcaption>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keys */}
      <pre className="mono" tabIndex={0}>
        {code}
      </pre>
    </figure>
  )
}
