import { Clock } from 'lucide-react'
import { type ReactNode, Suspense, useState } from 'react'
import { Link } from 'react-router'
import { sharedMessages } from '../../lib/messages.ts'
import brandStyles from '../../ui/Brand.module.css'
import { FileName } from '../../ui/FileName.tsx'
import { Icon } from '../../ui/Icon.tsx'
import { Logo } from '../../ui/Logo.tsx'
import { lateDialog } from '../../ui/lateDialog.tsx'
import { messages } from './messages.ts'
import styles from './Share.module.css'

const ReportDialog = lateDialog(() => import('./ReportDialog.tsx').then((file) => file.ReportDialog))

/** Name and facts of what is shared, and what can be done with it. `takesFocus`: the name does, when it appears. */
type Head = {
  readonly name: string
  readonly facts: ReactNode
  readonly actions: ReactNode
  readonly takesFocus: boolean
}

type Props = {
  readonly pageTitle: string
  /** Absent before that may be known. */
  readonly head?: Head | undefined
  /** Between the bar and the stage: a download that runs or has failed. */
  readonly notice?: ReactNode
  /** How long and how often the link works. */
  readonly limits?: readonly string[]
  /** A list fills the stage from its top; all else stands in its middle. */
  readonly isList?: boolean
  /** Nothing else on the page is its heading. */
  readonly isBrandHeading?: boolean
  /** The link that a visitor may report; absent before its content may be seen. */
  readonly reportId?: string
  readonly children: ReactNode
}

/** Bar, stage and foot of every state of the page. */
export function ShareFrame({
  pageTitle,
  head,
  notice,
  limits = [],
  isList = false,
  isBrandHeading = false,
  reportId,
  children,
}: Props) {
  const Brand = isBrandHeading ? 'h1' : 'span'
  return (
    <div className={styles.page}>
      <title>{pageTitle}</title>
      <header className={styles.top}>
        <Logo />
        <Brand className={head ? `${brandStyles.brand} only-d` : brandStyles.brand}>
          {sharedMessages.common.product}
        </Brand>
        {head && (
          <>
            <span className={`${styles.rule} only-d`} />
            <div className="grow">
              <h1 className={styles.name} tabIndex={-1} ref={head.takesFocus ? focusOn : undefined}>
                <FileName name={head.name} />
              </h1>
              <p className="meta subtle num ell">{head.facts}</p>
            </div>
            {head.actions}
          </>
        )}
      </header>
      {notice}
      <main className={isList ? styles.list : styles.stage}>{children}</main>
      <footer className={styles.foot}>
        {limits.length > 0 && (
          <span className="hstack num gap-1.5">
            <Icon icon={Clock} size={14} />
            {limits.join(' · ')}
          </span>
        )}
        <span className="grow only-d" />
        <Link to="/privacy-policy">{sharedMessages.common.privacyPolicy}</Link>
        {reportId && <Report shareId={reportId} />}
      </footer>
    </div>
  )
}

const focusOn = (heading: HTMLElement | null): void => heading?.focus()

function Report({ shareId }: { shareId: string }) {
  const [isOpen, setOpen] = useState(false)
  return (
    <>
      <button type="button" className={styles.report} onClick={() => setOpen(true)}>
        {messages.report}
      </button>
      <Suspense>{isOpen && <ReportDialog shareId={shareId} onClose={() => setOpen(false)} />}</Suspense>
    </>
  )
}
