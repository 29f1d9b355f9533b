import { type ReactNode, Suspense, useEffect, useState } from 'react'
import { graphql } from 'react-relay'
import type { OneDetailsQuery } from '../../__generated__/OneDetailsQuery.graphql.ts'
import { late } from '../../lib/lateCode.ts'
import { nameText } from '../../lib/nameText.ts'
import { serverText } from '../../lib/serverText.ts'
import { EmptyState } from '../../ui/EmptyState.tsx'
import { RetryBoundary } from '../../ui/RetryBoundary.tsx'
import { Tabs } from '../../ui/Tabs.tsx'
import { SharingSection } from '../Share/SharingSection.tsx'
import { TagsSection } from '../Tags/TagsSection.tsx'
import { UploadLinksSection } from '../UploadLinks/UploadLinksSection.tsx'
import styles from './Details.module.css'
import { DetailsHead } from './DetailsHead.tsx'
import { detailPolicy, markRead } from './detailFreshness.ts'
import { FileProperties } from './FileProperties.tsx'
import { StorageMap } from './StorageMap.tsx'
import { FOLDER_TABS, TABS, type TabChoice } from './tabs.ts'
import { useLiveFile } from './useLiveFile.ts'

const ProtectionSection = late(() => import('./ProtectionSection.tsx').then((file) => file.ProtectionSection))
const AccountSection = late(() => import('./AccountSection.tsx').then((file) => file.AccountSection))
const VersionsTab = late(() => import('../Versions/VersionsTab.tsx').then((file) => file.VersionsTab))
const FileActivity = late(() => import('./FileActivity.tsx').then((file) => file.FileActivity))

const query = graphql`
  query OneDetailsQuery($id: ID!) {
    viewer {
      file(id: $id) {
        kind
        home
        account { id rootFileId }
        ...DetailsHead_file
        ...StorageMap_file
        ...FileProperties_file
        ...TagsSection_file
        ...SharingSection_file
        ...UploadLinksSection_file
      }
      changed: activities(
        first: 1
        fileId: $id
        actions: [FILE_UPLOADED, FILE_RECEIVED, FILE_RENAMED, FILE_MOVED, FILE_COPIED, FILE_RESTORED, FOLDER_CREATED]
      ) {
        edges { node { id actorKind actorName } }
      }
      added: activities(first: 1, fileId: $id, actions: [FILE_UPLOADED, FILE_RECEIVED, FILE_COPIED, FOLDER_CREATED]) {
        edges { node { id actorKind actorName } }
      }
    }
  }
`

/** One file or folder: its properties, where a file is stored, its activity and its links. Updated live. */
export function OneDetails({ id, close, tab: chosen, onTab }: TabChoice & { id: string; close: ReactNode }) {
  const [fetchPolicy] = useState(() => detailPolicy(id))
  const { viewer } = useLiveFile<OneDetailsQuery>(query, { name: 'OneDetailsQuery', id, fetchPolicy })
  useEffect(() => markRead(id), [id])
  const file = viewer?.file
  const isFolder = file?.kind === 'FOLDER'
  const tab = isFolder && chosen === 'versions' ? 'details' : chosen
  if (!file) {
    return (
      <>
        <header className={`${styles.head} justify-end`}>{close}</header>
        <div className={styles.section}>
          <EmptyState title="This file no longer exists" text="It was deleted permanently." />
        </div>
      </>
    )
  }
  return (
    <>
      <DetailsHead file={file} close={close} />
      <Tabs small label="Details" tabs={isFolder ? FOLDER_TABS : TABS} selected={tab} onSelect={onTab}>
        {tab === 'details' && file.kind === 'FILE' && <StorageMap file={file} />}
        {tab === 'details' && (
          <FileProperties
            file={file}
            who={{ changed: whoOf(viewer.changed.edges[0]?.node), added: whoOf(viewer.added.edges[0]?.node) }}
          />
        )}
        {tab === 'details' && <TagsSection file={file} />}
        {tab === 'details' && file.account?.rootFileId === id && (
          <RetryBoundary about={id} fallback={(error) => <div className={styles.section}>{error}</div>}>
            <Suspense>
              <AccountSection accountId={file.account.id} />
            </Suspense>
          </RetryBoundary>
        )}
        {tab === 'details' && file.home === 'ACCOUNT' && (
          <RetryBoundary about={id} fallback={(error) => <div className={styles.section}>{error}</div>}>
            <Suspense>
              <ProtectionSection id={id} />
            </Suspense>
          </RetryBoundary>
        )}
        {tab === 'sharing' && <SharingSection file={file} />}
        {tab === 'sharing' && file.kind === 'FOLDER' && <UploadLinksSection file={file} />}
        <RetryBoundary about={tab} fallback={(error) => <div className={styles.section}>{error}</div>}>
          <Suspense>
            {tab === 'activity' && <FileActivity id={id} />}
            {tab === 'versions' && <VersionsTab id={id} />}
          </Suspense>
        </RetryBoundary>
      </Tabs>
    </>
  )
}

type Actor = { readonly actorKind: string; readonly actorName: string }

function whoOf(activity: Actor | undefined): string | null {
  if (!activity) return null
  return activity.actorKind === 'SESSION' ? 'you' : nameText(serverText(activity.actorName))
}
