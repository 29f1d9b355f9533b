import { Plus } from 'lucide-react'
import { lazy, Suspense, useState } from 'react'
import { graphql, type PreloadedQuery, usePreloadedQuery } from 'react-relay'
import { Link } from 'react-router'
import type { KeysQuery } from '../../__generated__/KeysQuery.graphql.ts'
import { useAccessRefresh } from '../../features/Live/useAccessRefresh.ts'
import { SearchBar } from '../../features/Search/SearchBar.tsx'
import { Button } from '../../ui/Button.tsx'
import { Tabs } from '../../ui/Tabs.tsx'
import { KeyList } from './KeyList.tsx'
import { KeySettings } from './KeySettings.tsx'
import { words } from './words.ts'

const GenerateDialog = lazy(async () => ({ default: (await import('./GenerateDialog.tsx')).GenerateDialog }))

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

/** Which programs may act for the person, and how they begin. */
export function Keys({ queryRef }: { queryRef: PreloadedQuery<KeysQuery> }) {
  const { viewer } = usePreloadedQuery<KeysQuery>(query, queryRef)
  useAccessRefresh<KeysQuery>(query)
  const [tab, setTab] = useState('keys')
  const [isGenerating, setGenerating] = useState(false)
  if (!viewer) return null
  return (
    <>
      <title>{words.pageTitle}</title>
      <SearchBar title={words.title} />
      <div className="page">
        <div className="page-in">
          <div className="page-head">
            <div className="grow">
              <h1>{words.title}</h1>
              <p>
                {words.intro} {words.docs}{' '}
                <a className="link" href="/api/v1/docs">
                  {words.rest}
                </a>
                {', '}
                <Link className="link" to="/docs/graphql">
                  {words.graphql}
                </Link>
              </p>
            </div>
            <Button variant="primary" icon={Plus} onClick={() => setGenerating(true)}>
              {words.generateKey}
            </Button>
          </div>
          <Tabs
            label={words.tabs}
            tabs={[
              { id: 'keys', label: words.keysTab, count: viewer.apiKeys.length },
              { id: 'settings', label: words.settingsTab },
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
