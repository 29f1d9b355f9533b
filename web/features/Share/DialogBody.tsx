import { useLayoutEffect } from 'react'
import { graphql, useLazyLoadQuery, useRelayEnvironment } from 'react-relay'
import type { DialogBodyQuery, DialogBodyQuery$data } from '../../__generated__/DialogBodyQuery.graphql.ts'
import { useRetryKey } from '../../lib/retryKey.ts'
import { reasonOf } from '../../relay/runMutation.ts'
import { copyText } from '../../ui/copyText.ts'
import { EmptyState } from '../../ui/EmptyState.tsx'
import { toast } from '../../ui/toast.ts'
import { createShare } from './createShare.ts'
import type { LinkDialogBody } from './LinkDialog.tsx'
import { messages } from './messages.ts'
import { NewLink } from './NewLink.tsx'
import { ShareLinks } from './ShareLinks.tsx'
import { expiryOf, limitOf, type Terms } from './terms.ts'

type Props = LinkDialogBody & { readonly fileId: string }

type Shared = NonNullable<NonNullable<DialogBodyQuery$data['viewer']>['file']>

export function DialogBody({ fileId, formId, mode, onMode }: Props) {
  const { viewer } = useLazyLoadQuery<DialogBodyQuery>(
    graphql`
      query DialogBodyQuery($id: ID!) {
        viewer {
          file(id: $id) {
            id
            copies {
              state
              pieces {
                account {
                  provider
                  providerName
                }
              }
            }
            shares {
              id
            }
            ...ShareLinks_file
          }
        }
      }
    `,
    { id: fileId },
    { fetchPolicy: 'store-and-network', fetchKey: useRetryKey() },
  )
  const file = viewer?.file
  const count = file?.shares.length ?? 0
  const make = useCreate(fileId, onMode)
  // The first link, and the end of the last one, change the buttons in the footer.
  const isThere = file != null
  useLayoutEffect(() => {
    if (isThere) onMode(count > 0 ? 'links' : 'form')
  }, [isThere, count, onMode])
  if (!file) return <EmptyState title={messages.gone} text={messages.goneText} />
  if (mode === 'links') return <ShareLinks file={file} />
  return <NewLink id={formId} provider={providerOf(file)} onSubmit={make} />
}

/** Creates the link and copies it to the clipboard. */
function useCreate(fileId: string, onMode: Props['onMode']) {
  const environment = useRelayEnvironment()
  return async (terms: Terms) => {
    onMode('making')
    try {
      const { url, providerNote } = await createShare(environment, {
        fileId,
        password: terms.password || null,
        expiresAt: expiryOf(terms),
        maxDownloads: limitOf(terms),
        providerLink: terms.hasProviderLink,
      })
      onMode('links')
      await copyText(url)
      if (providerNote) toast.info(providerNote)
    } catch (error) {
      toast.error(messages.createFailed, { description: reasonOf(error) })
      onMode('form')
    }
  }
}

/** The provider of a copy that is stored in one piece on a connected account. */
function providerOf({ copies }: Shared): string | null {
  const whole = copies.filter(({ state, pieces }) => state === 'STORED' && pieces.length === 1)
  const accounts = whole.flatMap(({ pieces }) => pieces.map(({ account }) => account))
  return accounts.find(({ provider }) => provider !== 'local')?.providerName ?? null
}
