import { Info } from 'lucide-react'
import { accountLabel } from '../../../lib/accountLabel.ts'
import { nameText } from '../../../lib/nameText.ts'
import { Icon } from '../../../ui/Icon.tsx'
import { type AccountChoice, useFileManager } from '../FilesContext.ts'
import styles from './List.module.css'

/** Says that results may be missing: an account is still being listed, or has to be connected again. */
export function SearchNotice() {
  const { accounts, url } = useFileManager()
  const asked = accounts.filter(({ id, index }) => index && (url.account === null || url.account === id))
  const reasons = url.home === 'POOL' ? [] : asked.flatMap(reasonOf)
  if (reasons.length === 0) return null
  return (
    <p className={`${styles.searchNotice} meta muted num`} role="status">
      <Icon icon={Info} size={14} />
      <span>{reasons.join('; ')}, so results may be missing.</span>
    </p>
  )
}

function reasonOf({ index, status, ...account }: AccountChoice): string[] {
  const name = nameText(accountLabel(account))
  if (status === 'EXPIRED') return [`${name} needs to be connected again`]
  if (index?.phase !== 'FIRST_PASS') return []
  return [`${name} is still being listed: ${index.entries.toLocaleString()} found so far`]
}
