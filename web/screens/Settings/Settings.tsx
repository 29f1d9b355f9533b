import { graphql, type PreloadedQuery, usePreloadedQuery } from 'react-relay'
import type { SettingsQuery } from '../../__generated__/SettingsQuery.graphql.ts'
import { useAccessRefresh } from '../../features/Live/useAccessRefresh.ts'
import { SearchBar } from '../../features/Search/SearchBar.tsx'
import { keepFocusInside } from '../../ui/keepFocus.ts'
import pageStyles from '../../ui/Page.module.css'
import { Account } from './Account.tsx'
import { ActivityLog } from './ActivityLog.tsx'
import { Administration } from './Administration.tsx'
import { Appearance } from './Appearance.tsx'
import { ContentSearch } from './ContentSearch.tsx'
import { DeleteAccount } from './DeleteAccount.tsx'
import { FileSettings } from './FileSettings.tsx'
import { Language } from './Language.tsx'
import { messages } from './messages.ts'
import { Sessions } from './Sessions.tsx'
import styles from './Settings.module.css'
import { VersionLimits } from './VersionLimits.tsx'

const query = graphql`
  query SettingsQuery @preloadable {
    viewer {
      id
      ...Account_viewer
      ...Sessions_viewer
      ...Administration_viewer
      ...VersionLimits_viewer
      ...Language_viewer
      ...ContentSearch_viewer
    }
  }
`

/** Settings of the app and of the user's account. */
export function Settings({ queryRef }: { queryRef: PreloadedQuery<SettingsQuery> }) {
  const { viewer } = usePreloadedQuery<SettingsQuery>(query, queryRef)
  useAccessRefresh<SettingsQuery>(query)
  if (!viewer) return null
  return (
    <>
      <title>{messages.pageTitle}</title>
      <SearchBar title={messages.title} />
      <div className={pageStyles.page}>
        <div className={`${pageStyles.inner} ${styles.settings}`} ref={keepFocusInside}>
          <div className={pageStyles.head}>
            <h1>{messages.title}</h1>
          </div>
          <Appearance />
          <Language viewer={viewer} />
          <FileSettings />
          <VersionLimits viewer={viewer} />
          <ContentSearch viewer={viewer} />
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
