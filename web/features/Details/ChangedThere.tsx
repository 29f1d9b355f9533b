import { useState } from 'react'
import { graphql, useRelayEnvironment } from 'react-relay'
import type { ChangedThereMutation } from '../../__generated__/ChangedThereMutation.graphql.ts'
import { reasonOf, runMutation } from '../../relay/runMutation.ts'
import { Button } from '../../ui/Button.tsx'
import { toast } from '../../ui/toast.ts'

const mutation = graphql`
  mutation ChangedThereMutation($input: KeepChangedVersionInput!) {
    keepChangedVersion(input: $input) {
      __typename
      ... on KeepChangedVersionPayload { file { id name } }
      ... on Error { code message }
    }
  }
`

type ChangedThereProps = {
  readonly copyId: string
  readonly accounts: readonly string[]
  /** A changed part of a split file is not a file. */
  readonly whole: boolean
}

/** The object was edited in the account: explains it, and offers to keep that version here. */
export function ChangedThere({ copyId, accounts, whole }: ChangedThereProps) {
  const environment = useRelayEnvironment()
  const [busy, setBusy] = useState(false)

  async function keep(): Promise<void> {
    setBusy(true)
    try {
      const { keepChangedVersion } = await runMutation<ChangedThereMutation>(environment, {
        mutation,
        variables: { input: { copyId } },
        outcome: (answer) => answer.keepChangedVersion,
      })
      toast.success(`Saved as “${keepChangedVersion.file?.name}”`)
    } catch (error) {
      toast.error('This version could not be saved', { description: reasonOf(error) })
    } finally {
      setBusy(false)
    }
  }

  return (
    <div className="mt-1.5">
      <p className="meta subtle">
        This file was changed in {accounts.map((name) => `“${name}”`).join(', ')}. The new version stays there.
      </p>
      {whole && (
        <Button size="sm" className="mt-1.5" busy={busy} onClick={() => void keep()}>
          Keep it as a new file
        </Button>
      )}
    </div>
  )
}
