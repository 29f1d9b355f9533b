import { Upload } from 'lucide-react'
import { Suspense } from 'react'
import { graphql, type PreloadedQuery, usePreloadedQuery } from 'react-relay'
import type { DashboardQuery } from '../../__generated__/DashboardQuery.graphql.ts'
import { SearchBar } from '../../features/Search/SearchBar.tsx'
import { useTransfers } from '../../features/Transfers/transfersContext.ts'
import { Icon } from '../../ui/Icon.tsx'
import { ActivityCard } from './ActivityCard.tsx'
import { Attention } from './Attention.tsx'
import { DashboardSkeleton } from './DashboardSkeleton.tsx'
import { FirstRun } from './FirstRun.tsx'
import { RecentFiles } from './RecentFiles.tsx'
import { StorageTotal } from './StorageTotal.tsx'
import { StoringCard } from './StoringCard.tsx'
import { TypeBar } from './TypeBar.tsx'
import { useDashboardRefresh } from './useDashboardRefresh.ts'
import { words } from './words.ts'

type Props = { queryRef: PreloadedQuery<DashboardQuery> }

/** How much room there is, what lies in it, and what needs its owner. */
export function Dashboard({ queryRef }: Props) {
  const { openUploadDialog } = useTransfers()
  return (
    <>
      <title>{words.pageTitle}</title>
      <SearchBar title={words.title} isHeading />
      <div className="page">
        <div className="page-in">
          <Suspense fallback={<DashboardSkeleton />}>
            <Overview queryRef={queryRef} />
          </Suspense>
        </div>
      </div>
      <button type="button" className="fab only-m flex" onClick={openUploadDialog}>
        <Icon icon={Upload} size={20} />
        {words.upload}
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
          ...Attention_viewer
          ...StoringCard_viewer
          ...ActivityCard_viewer
        }
      }
    `,
    queryRef,
  )
  useDashboardRefresh()
  if (!viewer) return null
  const recent = viewer.recent.edges.map(({ node }) => node)
  return (
    <>
      <StorageTotal viewer={viewer} />
      <div className="dgrid">
        <div className="dcol">
          {recent.length === 0 ? <FirstRun /> : <RecentFiles files={recent} />}
          {viewer.storageByType.length > 0 && <TypeBar usage={viewer.storageByType} />}
        </div>
        <div className="dcol">
          <Attention viewer={viewer} />
          <StoringCard viewer={viewer} />
          <ActivityCard viewer={viewer} />
        </div>
      </div>
    </>
  )
}
