import { graphql, useFragment } from 'react-relay'
import type { ShareLinks_file$key } from '../../__generated__/ShareLinks_file.graphql.ts'
import styles from './ShareDialog.module.css'
import { ShareLink } from './ShareLink.tsx'

/** The active links of a file, newest first. */
export function ShareLinks({ file }: { file: ShareLinks_file$key }) {
  const { shares } = useFragment(
    graphql`
      fragment ShareLinks_file on File {
        shares {
          id
          ...ShareLink_share
        }
      }
    `,
    file,
  )
  return (
    <ul>
      {shares.map((share) => (
        <li key={share.id} className={styles.card}>
          <ShareLink share={share} />
        </li>
      ))}
    </ul>
  )
}
