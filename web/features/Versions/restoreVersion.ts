import { graphql } from 'react-relay'
import type { IEnvironment } from 'relay-runtime'
import type { restoreVersionMutation } from '../../__generated__/restoreVersionMutation.graphql.ts'
import { formatDay } from '../../lib/formatDate.ts'
import { reasonOf, runMutation } from '../../relay/runMutation.ts'
import { toast } from '../../ui/toast.ts'
import { messages } from './messages.ts'

const mutation = graphql`
  mutation restoreVersionMutation($input: RestoreVersionInput!) {
    restoreVersion(input: $input) {
      __typename
      ... on RestoreVersionPayload {
        previousId
        file {
          id
          size
          updatedAt
          versions { id isCurrent size sha256 createdAt source by byKey restoredFrom downloadUrl }
        }
      }
      ... on Error { code message }
    }
  }
`

/** Makes an earlier version the content of its file again, and says so with Undo. Failures are said too. */
export async function restoreVersion(
  environment: IEnvironment,
  { id, createdAt }: { readonly id: string; readonly createdAt: string },
): Promise<void> {
  const previousId = await run(environment, id)
  if (previousId === undefined) return
  const title = messages.restored(formatDay(createdAt))
  if (previousId === null) return void toast.success(title)
  toast.undo(title, () => {
    void run(environment, previousId).then((done) => done !== undefined && toast.success(messages.undone))
  })
}

/** @returns the version that the file had before; undefined when that failed */
async function run(environment: IEnvironment, id: string): Promise<string | null | undefined> {
  try {
    const { restoreVersion: restored } = await runMutation<restoreVersionMutation>(environment, {
      mutation,
      variables: { input: { id } },
      outcome: (answer) => answer.restoreVersion,
    })
    return restored.previousId ?? null
  } catch (error) {
    toast.error(messages.notRestored, { description: reasonOf(error) })
    return undefined
  }
}
