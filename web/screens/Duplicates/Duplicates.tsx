import { useCallback, useEffect, useState, useTransition } from 'react'
import { graphql, loadQuery, type PreloadedQuery, usePreloadedQuery, useRelayEnvironment } from 'react-relay'
import { Link } from 'react-router'
import compiled, { type DuplicatesQuery } from '../../__generated__/DuplicatesQuery.graphql.ts'
import { SearchBar } from '../../features/Search/SearchBar.tsx'
import { DuplicateList, type Reading } from './DuplicateList.tsx'
import styles from './Duplicates.module.css'
import { messages } from './messages.ts'

const query = graphql`
  query DuplicatesQuery(
    $filter: DuplicateFilter!
    $scope: DuplicateFilter!
    $first: Int!
    $after: String
    $folder: ID!
    $inFolder: Boolean!
  ) @preloadable {
    viewer {
      id
      ...DuplicateList_viewer @arguments(filter: $filter, scope: $scope, first: $first, after: $after)
    }
    node(id: $folder) @include(if: $inFolder) {
      ... on File {
        id
        name
      }
    }
  }
`

type Props = { queryRef: PreloadedQuery<DuplicatesQuery> }

/** Files with the same content: which one stays is chosen here, and the others go to the trash. */
export function Duplicates({ queryRef }: Props) {
  const { shown, read } = useReading(queryRef)
  const { viewer, node } = usePreloadedQuery<DuplicatesQuery>(query, shown)
  const folder = queryRef.variables.inFolder ? queryRef.variables.folder : null
  if (!viewer) return null
  return (
    <>
      <title>{messages.pageTitle}</title>
      <SearchBar title={messages.title} />
      <DuplicateList
        key={folder}
        viewer={viewer}
        folder={folder}
        read={read}
        intro={folder === null ? messages.intro : <FolderIntro name={node?.name ?? ''} />}
      />
    </>
  )
}

function FolderIntro({ name }: { name: string }) {
  return (
    <>
      {messages.introFolder(name)}{' '}
      <Link className={`link ${styles.everywhere}`} to="/file-manager/duplicates">
        {messages.everywhere}
      </Link>
    </>
  )
}

/** The query of the page, until other groups are asked for. What is shown stays until their answer is there. */
function useReading(queryRef: PreloadedQuery<DuplicatesQuery>) {
  const environment = useRelayEnvironment()
  const [shown, setShown] = useState(queryRef)
  const [, startTransition] = useTransition()
  useEffect(() => setShown(queryRef), [queryRef])
  useEffect(() => {
    if (shown === queryRef) return
    return () => shown.dispose()
  }, [shown, queryRef])
  const { first, folder, inFolder } = queryRef.variables
  const read = useCallback(
    (wanted: Reading) => {
      const variables = { ...wanted, first, folder, inFolder }
      const next = loadQuery<DuplicatesQuery>(environment, compiled, variables, { fetchPolicy: 'network-only' })
      startTransition(() => setShown(next))
    },
    [environment, first, folder, inFolder],
  )
  return { shown, read }
}
