import { Upload } from 'lucide-react'
import { Suspense } from 'react'
import { graphql, type PreloadedQuery, usePreloadedQuery } from 'react-relay'
import query, { type DashboardQuery } from '../../__generated__/DashboardQuery.graphql.ts'
import { useRefresh } from '../../features/Live/useRefresh.ts'
import { SearchBar } from '../../features/Search/SearchBar.tsx'
import { useTransfers } from '../../features/Transfers/transfersContext.ts'
import floatingButtonStyles from '../../ui/FloatingButton.module.css'
import { Icon } from '../../ui/Icon.tsx'
import { keepFocusInside } from '../../ui/keepFocus.ts'
import pageStyles from '../../ui/Page.module.css'
import { ActivityCard } from './ActivityCard.tsx'
import { Attention } from './Attention.tsx'
import styles from './Dashboard.module.css'
import { DashboardSkeleton } from './DashboardSkeleton.tsx'
import { FirstRun } from './FirstRun.tsx'
import { messages } from './messages.ts'
import { RecentFiles } from './RecentFiles.tsx'
import { StorageTotal } from './StorageTotal.tsx'
import { StoringCard } from './StoringCard.tsx'
import { TypeBar } from './TypeBar.tsx'

type Props = { queryRef: PreloadedQuery<DashboardQuery> }

/** Free space, stored files, and what needs attention. */
export function Dashboard({ queryRef }: Props) {
  const { openUploadDialog } = useTransfers()
  return (
    <>
      <title>{messages.pageTitle}</title>
      <SearchBar title={messages.title} isHeading />
      <div className={pageStyles.page} data-testid="page">
        <div className={pageStyles.inner} ref={keepFocusInside}>
          <Suspense fallback={<DashboardSkeleton />}>
            <Overview queryRef={queryRef} />
          </Suspense>
        </div>
      </div>
      <button type="button" className={`${floatingButtonStyles.fab} only-m flex`} onClick={openUploadDialog}>
        <Icon icon={Upload} size={20} />
        {messages.upload}
      </button>
    </>
  )
}

function Overview({ queryRef }: Props) {
  const { viewer } = usePreloadedQuery<DashboardQuery>(
    graphql`
      query DashboardQuery @preloadable {
        viewer {
          id
          ...StorageTotal_viewer
          recent: files(
            view: ALL
            first: 6
            categories: [IMAGE, PDF, VIDEO, AUDIO, TEXT, DOCUMENT, SPREADSHEET, PRESENTATION, OTHER]
          ) {
            edges {
              node {
                id
                ...RecentFiles_file
              }
            }
          }
          storageByType {
            ...TypeBar_usage
          }
          versionSettings {
            bytes
          }
          ...Attention_viewer
          ...StoringCard_viewer
          ...ActivityCard_viewer
        }
      }
    `,
    queryRef,
  )
  useRefresh<DashboardQuery>(queryRef, query)
  if (!viewer) return null
  const recent = viewer.recent.edges.map(({ node }) => node)
  return (
    <>
      <StorageTotal viewer={viewer} />
      <div className={styles.grid}>
        <div className={styles.column}>
          {recent.length === 0 ? <FirstRun /> : <RecentFiles files={recent} />}
          {viewer.storageByType.length > 0 && (
            <TypeBar usage={viewer.storageByType} versionBytes={viewer.versionSettings.bytes} />
          )}
        </div>
        <div className={styles.column}>
          <Attention viewer={viewer} />
          <StoringCard viewer={viewer} />
          <ActivityCard viewer={viewer} />
        </div>
      </div>
    </>
  )
}
