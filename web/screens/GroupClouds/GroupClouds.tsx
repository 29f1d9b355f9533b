import { Plus } from 'lucide-react'
import { Suspense, useState } from 'react'
import { graphql, type PreloadedQuery, usePreloadedQuery } from 'react-relay'
import { useSearchParams } from 'react-router'
import type { GroupCloudsHealthQuery } from '../../__generated__/GroupCloudsHealthQuery.graphql.ts'
import type { GroupCloudsQuery } from '../../__generated__/GroupCloudsQuery.graphql.ts'
import { useRefresh } from '../../features/Live/useRefresh.ts'
import { SearchBar } from '../../features/Search/SearchBar.tsx'
import { Button } from '../../ui/Button.tsx'
import { keepFocusInside } from '../../ui/keepFocus.ts'
import { lateDialog } from '../../ui/lateDialog.tsx'
import pageStyles from '../../ui/Page.module.css'
import { messages } from './messages.ts'
import { PoolCard } from './PoolCard.tsx'

const GroupCloudDialog = lateDialog(() => import('./GroupCloudDialog.tsx').then((file) => file.GroupCloudDialog))
const DeleteDialog = lateDialog(() => import('./DeleteDialog.tsx').then((file) => file.DeleteDialog))

const health = graphql`
  query GroupCloudsHealthQuery {
    viewer {
      id
      groupClouds {
        id
        health { atRiskFiles storingFiles summary files bytes }
      }
    }
  }
`

/** What is open above the page: the form (without an id for a new one), or the question before a deletion. */
type Open = { readonly kind: 'form' | 'delete'; readonly id: string | null }

/** The viewer's group clouds: capacity, health, rules and members. */
export function GroupClouds({ queryRef }: { queryRef: PreloadedQuery<GroupCloudsQuery> }) {
  const { viewer } = usePreloadedQuery<GroupCloudsQuery>(
    graphql`
      query GroupCloudsQuery @preloadable {
        viewer {
          id
          groupClouds {
            id
            health { atRiskFiles storingFiles }
            ...PoolCard_groupCloud
          }
          ...GroupCloudDialog_viewer
          ...DeleteDialog_viewer
        }
      }
    `,
    queryRef,
  )
  const isUnsteady = viewer?.groupClouds.some(({ health: now }) => now.atRiskFiles + now.storingFiles > 0)
  useRefresh<GroupCloudsHealthQuery>(queryRef, health, isUnsteady)
  const [params, setParams] = useSearchParams()
  const [open, setOpen] = useState<Open | null>(() => (params.has('new') ? { kind: 'form', id: null } : null))
  if (!viewer) return null
  const { groupClouds } = viewer
  const close = () => {
    setOpen(null)
    if (params.has('new')) setParams({}, { replace: true })
  }
  return (
    <>
      <title>{messages.pageTitle}</title>
      <SearchBar title={messages.title} />
      <div className={pageStyles.page}>
        <div className={pageStyles.inner} ref={keepFocusInside}>
          <div className={pageStyles.head}>
            <div className="grow">
              <h1>{messages.title}</h1>
              <p>{messages.intro}</p>
            </div>
            <Button variant="primary" icon={Plus} onClick={() => setOpen({ kind: 'form', id: null })}>
              {messages.create}
            </Button>
          </div>
          <div className="grid gap-4">
            {groupClouds.map((groupCloud) => (
              <PoolCard
                key={groupCloud.id}
                groupCloud={groupCloud}
                isOnly={groupClouds.length === 1}
                onEdit={() => setOpen({ kind: 'form', id: groupCloud.id })}
                onDelete={() => setOpen({ kind: 'delete', id: groupCloud.id })}
              />
            ))}
          </div>
        </div>
      </div>
      <Suspense fallback={null}>
        {open?.kind === 'form' && <GroupCloudDialog viewer={viewer} id={open.id} onClose={close} />}
        {open?.kind === 'delete' && open.id && <DeleteDialog viewer={viewer} id={open.id} onClose={close} />}
      </Suspense>
    </>
  )
}
