import { useState } from 'react'
import { graphql, useFragment, useRelayEnvironment } from 'react-relay'
import type { Language_viewer$key } from '../../__generated__/Language_viewer.graphql.ts'
import type { LanguageMutation } from '../../__generated__/LanguageMutation.graphql.ts'
import { reasonOf, runMutation } from '../../relay/runMutation.ts'
import { Select } from '../../ui/Select.tsx'
import { toast } from '../../ui/toast.ts'
import { messages } from './messages.ts'
import { Section } from './Section.tsx'

const { language: texts } = messages

const mutation = graphql`
  mutation LanguageMutation($input: ChangeLanguageInput!) {
    changeLanguage(input: $input) {
      viewer { id language }
    }
  }
`

const BROWSER = 'browser'
const isKnown = (value: string): value is keyof typeof texts.names => value in texts.names

/** The language of the pages. Each has its own build, so the page is loaded again. */
export function Language({ viewer }: { viewer: Language_viewer$key }) {
  const environment = useRelayEnvironment()
  const { language } = useFragment(
    graphql`
      fragment Language_viewer on User {
        language
      }
    `,
    viewer,
  )
  const [isBusy, setBusy] = useState(false)

  async function choose(value: string): Promise<void> {
    setBusy(true)
    try {
      const variables = { input: { language: isKnown(value) ? value : null } }
      const outcome = () => ({ __typename: 'ChangeLanguagePayload' })
      await runMutation<LanguageMutation>(environment, { mutation, variables, outcome })
      window.location.reload()
    } catch (error) {
      setBusy(false)
      toast.error(texts.failed, { description: reasonOf(error) })
    }
  }

  return (
    <Section title={texts.title} text={texts.text}>
      <Select
        hideLabel
        label={texts.title}
        disabled={isBusy}
        value={language ?? BROWSER}
        options={[
          { value: BROWSER, label: texts.browser },
          ...Object.entries(texts.names).map(([value, label]) => ({ value, label })),
        ]}
        onChange={(value) => void choose(value)}
      />
    </Section>
  )
}
