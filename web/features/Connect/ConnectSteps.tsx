import { Fragment } from 'react'

const LINK = /\((https:\/\/[^\s)]+)\)/

/** What each user does at the provider or in the form, in order. Links are in brackets. */
export function ConnectSteps({ steps }: { steps: readonly string[] }) {
  return (
    <ol className="mt-2 grid list-decimal gap-2 ps-5 muted">
      {steps.map((step) => (
        <li key={step}>
          {step.split(LINK).map((part, index) => (
            // The parts between links, and the links.
            <Fragment key={part}>{index % 2 === 0 ? part : <StepLink address={part} />}</Fragment>
          ))}
        </li>
      ))}
    </ol>
  )
}

const StepLink = ({ address }: { address: string }) => (
  <a className="link" href={address} target="_blank" rel="noreferrer">
    {address.replace(/^https:\/\//, '')}
  </a>
)
