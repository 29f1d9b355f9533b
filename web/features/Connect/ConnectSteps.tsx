import { Fragment, type ReactNode } from 'react'

const SPECIAL = /(\(https:\/\/[^\s)]+\)|`[^`]+`)/

/** What each user does at the provider or in the form, in order. Links are in brackets, commands and settings in backquotes. */
export function ConnectSteps({ steps }: { steps: readonly string[] }) {
  return (
    <ol className="mt-2 grid list-decimal gap-2 ps-5 muted">
      {steps.map((step) => (
        <li key={step}>
          {step.split(SPECIAL).map((part) => (
            <Fragment key={part}>{shown(part)}</Fragment>
          ))}
        </li>
      ))}
    </ol>
  )
}

function shown(part: string): ReactNode {
  if (!SPECIAL.test(part)) return part
  const inner = part.slice(1, -1)
  return part.startsWith('(') ? <StepLink address={inner} /> : <code className="mono">{inner}</code>
}

const StepLink = ({ address }: { address: string }) => (
  <a className="link" href={address} target="_blank" rel="noreferrer">
    {address.replace(/^https:\/\//, '')}
  </a>
)
