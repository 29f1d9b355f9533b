import { type ReactNode, Suspense, useEffect, useState, useTransition } from 'react'
import { graphql, loadQuery, type PreloadedQuery, usePreloadedQuery, useRelayEnvironment } from 'react-relay'
import query, { type ShareQuery } from '../../__generated__/ShareQuery.graphql.ts'
import { LinkPasswordForm } from '../../features/LinkPassword/LinkPasswordForm.tsx'
import { messages } from './messages.ts'
import styles from './Share.module.css'
import { ShareBoundary } from './ShareBoundary.tsx'
import { SharedFile } from './SharedFile.tsx'
import { SharedFolder } from './SharedFolder.tsx'
import { ShareFrame } from './ShareFrame.tsx'
import { ShareEnded, ShareSkeleton, ShareUnavailable } from './ShareStates.tsx'
import { unlockShare } from './unlockShare.ts'

type Props = { readonly queryRef: PreloadedQuery<ShareQuery> }

/** What a link leads to, for whoever has it. Asks one question of the server, and never who is there. */
export function Share({ queryRef }: Props) {
  const { shown, again, isAsking } = useAgain(queryRef)
  return (
    <>
      <meta name="robots" content="noindex, nofollow" />
      <ShareBoundary about={shown} onRetry={again}>
        <Suspense fallback={<ShareSkeleton />}>
          <Answer queryRef={shown} onAgain={again} isAsking={isAsking} />
        </Suspense>
      </ShareBoundary>
    </>
  )
}

/** The route's query, and a function that fetches it again; the old data is shown until the new data has arrived. */
function useAgain(first: PreloadedQuery<ShareQuery>) {
  const environment = useRelayEnvironment()
  const [newer, setNewer] = useState<PreloadedQuery<ShareQuery> | null>(null)
  const [isAsking, startAsking] = useTransition()
  useEffect(() => () => newer?.dispose(), [newer])
  const again = () => {
    const { variables } = first
    startAsking(() => setNewer(loadQuery<ShareQuery>(environment, query, variables, { fetchPolicy: 'network-only' })))
  }
  return { shown: newer ?? first, again, isAsking }
}

type AnswerProps = Props & { readonly onAgain: () => void; readonly isAsking: boolean }

function Answer({ queryRef, onAgain, isAsking }: AnswerProps): ReactNode {
  const { share } = usePreloadedQuery<ShareQuery>(
    graphql`
      query ShareQuery($id: ID!) @preloadable {
        share(id: $id) {
          shareId
          needsPassword
          kind
          available
          name
          ...SharedFile_share
          ...SharedFolder_share
        }
      }
    `,
    queryRef,
  )
  /** The field of the password is gone, and the focus with it. */
  const [wasLocked] = useState(share?.needsPassword ?? false)
  if (!share) return <ShareEnded />
  if (share.needsPassword) return <Locked shareId={share.shareId} onEnded={onAgain} />
  if (!share.available) return <ShareUnavailable name={share.name ?? ''} isAsking={isAsking} onRetry={onAgain} />
  const Shown = share.kind === 'FOLDER' ? SharedFolder : SharedFile
  return <Shown share={share} takesFocus={wasLocked} />
}

function Locked({ shareId, onEnded }: { readonly shareId: string; readonly onEnded: () => void }) {
  const environment = useRelayEnvironment()
  const unlock = async (password: string): Promise<string | null> => {
    const failure = await unlockShare(environment, shareId, password)
    if (failure?.isEnded) onEnded()
    return failure?.text ?? null
  }
  return (
    <ShareFrame pageTitle={messages.protectedPage}>
      <LinkPasswordForm className={styles.form} unlock={unlock} />
    </ShareFrame>
  )
}
