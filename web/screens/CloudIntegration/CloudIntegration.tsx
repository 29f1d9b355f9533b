import { Plus } from 'lucide-react'
import { Suspense, useState } from 'react'
import { graphql, type PreloadedQuery, usePreloadedQuery } from 'react-relay'
import { Link, useSearchParams } from 'react-router'
import type { CloudIntegrationQuery } from '../../__generated__/CloudIntegrationQuery.graphql.ts'
import type { ProviderChoice } from '../../features/Connect/ProviderRows.tsx'
import { SearchBar } from '../../features/Search/SearchBar.tsx'
import { Button } from '../../ui/Button.tsx'
import { keepFocusInside } from '../../ui/keepFocus.ts'
import { lateDialog } from '../../ui/lateDialog.tsx'
import { Notice } from '../../ui/Notice.tsx'
import pageStyles from '../../ui/Page.module.css'
import { Tabs } from '../../ui/Tabs.tsx'
import { AddConnection } from './AddConnection.tsx'
import { ConnectedAccounts } from './ConnectedAccounts.tsx'
import { messages } from './messages.ts'
import { ProviderSetup } from './ProviderSetup.tsx'

const AddStorageDialog = lateDialog(() =>
  import('../../features/Connect/AddStorageDialog.tsx').then((file) => file.AddStorageDialog),
)

const AddToPoolDialog = lateDialog(() =>
  import('../../features/Connect/AddToPoolDialog.tsx').then((file) => file.AddToPoolDialog),
)

/** The dialog starts with the list of providers, or with the one chosen on the page. */
type Adding = { readonly provider: string | null }

/** An account that a group cloud can be chosen for. */
type Offered = { readonly accountId: string; readonly name: string; readonly isNew: boolean }

/** Which accounts files may be stored in. */
export function CloudIntegration({ queryRef }: { queryRef: PreloadedQuery<CloudIntegrationQuery> }) {
  const { viewer } = usePreloadedQuery<CloudIntegrationQuery>(
    graphql`
      query CloudIntegrationQuery @preloadable {
        viewer {
          id
          role
          accounts {
            id
            provider
          }
          providers {
            id
            name
            availability
            ...ProviderRows_provider
            ...ProviderSetup_provider
          }
          ...ConnectedAccounts_viewer
        }
      }
    `,
    queryRef,
  )
  const [params, setParams] = useSearchParams()
  const [tab, setTab] = useState('connected')
  const [adding, setAdding] = useState<Adding | null>(() => (params.has('add') ? { provider: null } : null))
  const [offered, setOffered] = useState<Offered | null>(null)
  if (!viewer) return null
  const count = viewer.accounts.filter(({ provider }) => provider !== 'local').length
  const notSetUp = viewer.providers.filter(
    ({ id, availability }) =>
      availability === 'NOT_CONFIGURED' && viewer.accounts.some(({ provider }) => provider === id),
  )
  const add = () => setAdding({ provider: null })
  const isAdministrator = viewer.role === 'ADMINISTRATOR'
  const settingUp = viewer.providers.find(({ id }) => id === params.get('setup'))
  const connect = () => setAdding({ provider: settingUp?.id ?? null })
  const choose = (provider: ProviderChoice) => {
    if (provider.availability === 'NOT_CONFIGURED' && isAdministrator) setParams({ setup: provider.id })
    else setAdding({ provider: provider.id })
  }
  return (
    <>
      <title>{messages.pageTitle}</title>
      <SearchBar title={messages.title} />
      <div className={pageStyles.page}>
        {settingUp ? (
          <div className={pageStyles.inner} ref={keepFocusInside}>
            <ProviderSetup provider={settingUp} isAdministrator={isAdministrator} onConnect={connect} />
          </div>
        ) : (
          <div className={pageStyles.inner} ref={keepFocusInside}>
            <div className={pageStyles.head}>
              <div className="grow">
                <h1>{messages.title}</h1>
                <p>{messages.intro}</p>
              </div>
              <Button variant="primary" icon={Plus} onClick={add}>
                {messages.addStorage}
              </Button>
            </div>
            {notSetUp.length > 0 && (
              <div className="mb-4">
                <Notice tone="warning">
                  {messages.settingsMissing(notSetUp.map(({ name }) => name).join(', '))}
                  {isAdministrator && (
                    <p className="hstack mt-1 flex-wrap gap-x-4">
                      {notSetUp.map(({ id, name }) => (
                        <Link key={id} className="link" to={`?setup=${encodeURIComponent(id)}`}>
                          {messages.setup.title(name)}
                        </Link>
                      ))}
                    </p>
                  )}
                </Notice>
              </div>
            )}
            <Tabs
              label={messages.tabs}
              tabs={[
                { id: 'connected', label: messages.connectedTab, count },
                { id: 'add', label: messages.addTab },
              ]}
              selected={tab}
              onSelect={setTab}
            >
              {tab === 'connected' ? (
                <ConnectedAccounts
                  page={queryRef}
                  viewer={viewer}
                  notSetUp={notSetUp.map(({ id }) => id)}
                  onAdd={add}
                  onAddToPool={({ id, name }) => setOffered({ accountId: id, name, isNew: false })}
                />
              ) : (
                <AddConnection providers={viewer.providers} onChoose={choose} />
              )}
            </Tabs>
          </div>
        )}
      </div>
      <Suspense fallback={null}>
        {adding && (
          <AddStorageDialog
            open
            providers={viewer.providers}
            initial={adding.provider}
            onClose={() => setAdding(null)}
            onConnected={(accountId, name) => setOffered({ accountId, name, isNew: true })}
          />
        )}
        {offered && <AddToPoolDialog {...offered} onClose={() => setOffered(null)} />}
      </Suspense>
    </>
  )
}
