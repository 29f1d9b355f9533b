import { Check, RefreshCw, TriangleAlert } from 'lucide-react'
import { accountLabel } from '../../../lib/accountLabel.ts'
import { cx } from '../../../lib/cx.ts'
import { nameText } from '../../../lib/nameText.ts'
import buttonStyles from '../../../ui/Button.module.css'
import { Button } from '../../../ui/Button.tsx'
import { Icon } from '../../../ui/Icon.tsx'
import { PoolMini } from '../../../ui/PoolBar.tsx'
import { accountState } from '../accountState.ts'
import { type AccountChoice, useFileManager } from '../FilesContext.ts'
import styles from './Toolbar.module.css'

/** In a folder of an account: whether the list is up to date, and a button that lists the account again. Import it lazily. */
export function AccountFreshness({ account }: { account: AccountChoice }) {
  const { panels } = useFileManager()
  const state = useFolderState(account)
  if (!state) return null
  const { text, detail, tone } = state
  const action = account.status === 'EXPIRED' ? 'reconnect' : 'lookAgain'
  return (
    <>
      <span className={`hstack meta num ${styles.freshness} ${tone}`} title={detail}>
        {tone === 't-accent' ? (
          <span className={buttonStyles.spin} aria-hidden />
        ) : (
          <Icon
            icon={tone === 't-warning' ? TriangleAlert : Check}
            size={14}
            className={cx(tone === 'subtle' && 't-success')}
          />
        )}
        <span className="ell">{text}</span>
      </span>
      <Button
        variant="ghost"
        size="sm"
        icon={RefreshCw}
        title={action === 'reconnect' ? 'Re-connect' : 'Look again'}
        onClick={() => panels.set({ dialog: { kind: 'account', action, id: account.id } })}
      >
        <span className={styles.tooltext}>{action === 'reconnect' ? 'Re-connect' : 'Look again'}</span>
      </Button>
    </>
  )
}

/** Of the account, as of when the open folder was read. */
function useFolderState(account: AccountChoice) {
  const { folder } = useFileManager()
  const { index } = account
  return accountState({ ...account, index: index && { ...index, asOf: folder?.asOf ?? index.asOf } })
}

/**
 * In whose account the open folder is, unless the title says it, and whether the list is up to date: on phones, which have no
 * breadcrumbs.
 */
export function AccountLine({ account, isNamed }: { account: AccountChoice; isNamed: boolean }) {
  const state = useFolderState(account)
  return (
    <p className={`${styles.accountLine} meta subtle`}>
      <PoolMini hues={[account.hue]} />
      {isNamed && <span className="ell">{nameText(accountLabel(account))}</span>}
      {state && <span className={cx(styles.state, 'num', state.tone)}>{state.text}</span>}
    </p>
  )
}
