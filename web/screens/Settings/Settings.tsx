import { graphql, type PreloadedQuery, usePreloadedQuery } from 'react-relay'
import type { SettingsQuery } from '../../__generated__/SettingsQuery.graphql.ts'
import { useAccessRefresh } from '../../features/Live/useAccessRefresh.ts'
import { SearchBar } from '../../features/Search/SearchBar.tsx'
import { Account } from './Account.tsx'
import { ActivityLog } from './ActivityLog.tsx'
import { Administration } from './Administration.tsx'
import { Appearance } from './Appearance.tsx'
import { DeleteAccount } from './DeleteAccount.tsx'
import { FileSettings } from './FileSettings.tsx'
import { Sessions } from './Sessions.tsx'
import { words } from './words.ts'

const query = graphql`
  query SettingsQuery @preloadable {
    viewer {
      id
      ...Account_viewer
      ...Sessions_viewer
      ...Administration_viewer
    }
  }
`

/** What a person decides about the app and about their own account. */
export function Settings({ queryRef }: { queryRef: PreloadedQuery<SettingsQuery> }) {
  const { viewer } = usePreloadedQuery<SettingsQuery>(query, queryRef)
  useAccessRefresh<SettingsQuery>(query)
  if (!viewer) return null
  return (
    <>
      <title>{words.pageTitle}</title>
      <SearchBar title={words.title} />
      <div className="page">
        <div className="page-in settings">
          <div className="page-head">
            <h1>{words.title}</h1>
          </div>
          <Appearance />
          <FileSettings />
          <Account viewer={viewer} />
          <Sessions viewer={viewer} />
          <Administration viewer={viewer} />
          <ActivityLog />
          <DeleteAccount />
        </div>
      </div>
    </>
  )
}
