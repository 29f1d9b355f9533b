import { Plus } from 'lucide-react'
import { Suspense, useState } from 'react'
import { graphql, type PreloadedQuery, usePreloadedQuery } from 'react-relay'
import { Link } from 'react-router'
import type { KeysQuery } from '../../__generated__/KeysQuery.graphql.ts'
import { useAccessRefresh } from '../../features/Live/useAccessRefresh.ts'
import { SearchBar } from '../../features/Search/SearchBar.tsx'
import { Button } from '../../ui/Button.tsx'
import { keepFocusInside } from '../../ui/keepFocus.ts'
import { lateDialog } from '../../ui/lateDialog.tsx'
import pageStyles from '../../ui/Page.module.css'
import { Tabs } from '../../ui/Tabs.tsx'
import { KeyList } from './KeyList.tsx'
import { KeySettings } from './KeySettings.tsx'
import { messages } from './messages.ts'

const GenerateDialog = lateDialog(() => import('./GenerateDialog.tsx').then((file) => file.GenerateDialog))

const query = graphql`
  query KeysQuery @preloadable {
    viewer {
      id
      apiKeys {
        id
        name
        key
        status
      }
      ...KeyList_viewer
    }
  }
`

/** The keys of programs, and how to get started. */
export function Keys({ queryRef }: { queryRef: PreloadedQuery<KeysQuery> }) {
  const { viewer } = usePreloadedQuery<KeysQuery>(query, queryRef)
  useAccessRefresh<KeysQuery>(query)
  const [tab, setTab] = useState('keys')
  const [isGenerating, setGenerating] = useState(false)
  if (!viewer) return null
  return (
    <>
      <title>{messages.pageTitle}</title>
      <SearchBar title={messages.title} />
      <div className={pageStyles.page}>
        <div className={pageStyles.inner} ref={keepFocusInside}>
          <div className={pageStyles.head}>
            <div className="grow">
              <h1>{messages.title}</h1>
              <p>
                {messages.intro} {messages.docs}{' '}
                <a className="link" href="/api/v1/docs">
                  {messages.rest}
                </a>
                {', '}
                <Link className="link" to="/docs/graphql">
                  {messages.graphql}
                </Link>
              </p>
            </div>
            <Button variant="primary" icon={Plus} onClick={() => setGenerating(true)}>
              {messages.generateKey}
            </Button>
          </div>
          <Tabs
            label={messages.tabs}
            tabs={[
              { id: 'keys', label: messages.keysTab, count: viewer.apiKeys.length },
              { id: 'settings', label: messages.settingsTab },
            ]}
            selected={tab}
            onSelect={setTab}
          >
            {tab === 'keys' ? (
              <KeyList viewer={viewer} />
            ) : (
              <KeySettings active={viewer.apiKeys.find(({ status }) => status === 'ACTIVE')} />
            )}
          </Tabs>
        </div>
      </div>
      <Suspense fallback={null}>{isGenerating && <GenerateDialog onClose={() => setGenerating(false)} />}</Suspense>
    </>
  )
}
