import { type FormEvent, useState } from 'react'
import { graphql, useFragment, useRelayEnvironment } from 'react-relay'
import type { VersionLimits_viewer$key } from '../../__generated__/VersionLimits_viewer.graphql.ts'
import type { VersionLimitsMutation } from '../../__generated__/VersionLimitsMutation.graphql.ts'
import { formatBytes } from '../../lib/formatBytes.ts'
import { reasonOf, runMutation } from '../../relay/runMutation.ts'
import { Button } from '../../ui/Button.tsx'
import { TextField } from '../../ui/Input.tsx'
import { toast } from '../../ui/toast.ts'
import { messages } from './messages.ts'
import { Section } from './Section.tsx'

const { versions: texts } = messages

const mutation = graphql`
  mutation VersionLimitsMutation($input: SetVersionLimitsInput!) {
    setVersionLimits(input: $input) {
      __typename
      ... on SetVersionLimitsPayload { viewer { id versionSettings { days most versions bytes } } }
      ... on Error { code message }
    }
  }
`

const MOST_DAYS = 3650
const MOST_VERSIONS = 1000
const isBetween = (value: string, most: number) =>
  /^\d{1,4}$/.test(value) && Number(value) >= 1 && Number(value) <= most

/** How long earlier versions of files are kept, and what they take. */
export function VersionLimits({ viewer }: { viewer: VersionLimits_viewer$key }) {
  const environment = useRelayEnvironment()
  const { versionSettings: now } = useFragment(
    graphql`
      fragment VersionLimits_viewer on User {
        versionSettings { days most versions bytes }
      }
    `,
    viewer,
  )
  const [days, setDays] = useState(String(now.days))
  const [most, setMost] = useState(String(now.most))
  const [busy, setBusy] = useState(false)
  const areDaysGood = isBetween(days, MOST_DAYS)
  const isMostGood = isBetween(most, MOST_VERSIONS)
  const isChanged = Number(days) !== now.days || Number(most) !== now.most

  async function save(event: FormEvent): Promise<void> {
    event.preventDefault()
    if (!areDaysGood || !isMostGood) return
    setBusy(true)
    try {
      const variables = { input: { days: Number(days), most: Number(most) } }
      const outcome = (answer: VersionLimitsMutation['response']) => answer.setVersionLimits
      await runMutation<VersionLimitsMutation>(environment, { mutation, variables, outcome })
      toast.success(texts.saved)
    } catch (error) {
      toast.error(texts.notSaved, { description: reasonOf(error) })
    } finally {
      setBusy(false)
    }
  }

  return (
    <Section anchor="versions" title={texts.title} text={texts.text}>
      <form id="versions" className="grid gap-4" onSubmit={(event) => void save(event)} noValidate>
        <TextField
          label={texts.days}
          hint={texts.daysHint}
          error={areDaysGood ? undefined : texts.badDays}
          inputMode="numeric"
          value={days}
          onChange={(event) => setDays(event.target.value)}
        />
        <TextField
          label={texts.most}
          hint={texts.mostHint}
          error={isMostGood ? undefined : texts.badMost}
          inputMode="numeric"
          value={most}
          onChange={(event) => setMost(event.target.value)}
        />
        <p className="muted num">{texts.taken(now.versions, formatBytes(now.bytes))}</p>
        <div>
          <Button type="submit" busy={busy} disabled={!isChanged || !areDaysGood || !isMostGood}>
            {texts.save}
          </Button>
        </div>
      </form>
    </Section>
  )
}
