import { CircleAlert, CircleCheck, Fingerprint } from 'lucide-react'
import { useId } from 'react'
import { formatBytes } from '../../lib/formatBytes.ts'
import { Checkbox } from '../../ui/Checkbox.tsx'
import { Icon } from '../../ui/Icon.tsx'
import { FieldError } from '../../ui/Input.tsx'
import { Notice } from '../../ui/Notice.tsx'
import { Select } from '../../ui/Select.tsx'
import styles from './Connect.module.css'
import type { FieldValues } from './connectByForm.ts'
import { messages } from './messages.ts'
import type { TestResult } from './testAccountForm.ts'

const texts = messages.test
/** Field of the host key's fingerprint, where a form has one. */
export const FINGERPRINT = 'fingerprint'

type Props = {
  result: TestResult
  values: FieldValues
  busy: boolean
  /** Connecting was tried without a confirmed host key. */
  reminds: boolean
  onChange: (field: string, value: string) => void
}

/** What trying the connection has shown: the login, its space, the folders in it, a host key to compare, or what is wrong. */
export function FormTest({ result, values, busy, reminds, onChange }: Props) {
  const { ok, problem, fingerprint } = result
  const confirmed = values[FINGERPRINT] ?? ''
  const isChanged = fingerprint != null && confirmed !== '' && confirmed !== fingerprint
  if (isChanged)
    return (
      <Notice tone="danger">
        <p>{problem}</p>
        <KeyLine label={texts.keyBefore} fingerprint={confirmed} />
        <KeyLine label={texts.keyNow} fingerprint={fingerprint} />
        <p className="mt-2">{texts.keyChanged}</p>
      </Notice>
    )
  if (fingerprint != null)
    return (
      <HostKey
        fingerprint={fingerprint}
        confirmed={confirmed === fingerprint}
        busy={busy}
        reminds={reminds}
        onChange={onChange}
      />
    )
  if (!ok) return <Notice tone="danger">{problem}</Notice>
  return <Passed result={result} values={values} busy={busy} onChange={onChange} />
}

function Passed({
  result: { identity, quota, folderField, folders },
  values,
  busy,
  onChange,
}: Pick<Props, 'result' | 'values' | 'busy' | 'onChange'>) {
  return (
    <section className={styles.test} role="status">
      <h3>
        <Icon icon={CircleCheck} className="t-success" />
        {texts.works}
      </h3>
      <dl>
        {identity != null && (
          <>
            <dt>{texts.login}</dt>
            <dd>{identity}</dd>
          </>
        )}
        <dt>{texts.access}</dt>
        <dd>{texts.readWrite}</dd>
        <dt>{texts.space}</dt>
        <dd className="num">{spaceText(quota)}</dd>
      </dl>
      {folderField != null && folders.length > 0 && (
        <div className="px-3 pb-3">
          <Select
            label={texts.folder}
            value={values[folderField] ?? ''}
            placeholder={texts.thisFolder}
            options={folders.map(({ name, value }) => ({ label: name, value }))}
            disabled={busy}
            onChange={(value) => onChange(folderField, value)}
          />
        </div>
      )}
    </section>
  )
}

function spaceText(quota: TestResult['quota']): string {
  if (!quota || quota.state === 'UNKNOWN') return texts.notReported
  if (quota.state === 'UNLIMITED' || quota.totalBytes == null) return texts.unlimited
  if (quota.usedBytes == null) return formatBytes(quota.totalBytes)
  return texts.freeOf(formatBytes(Math.max(0, quota.totalBytes - quota.usedBytes)), formatBytes(quota.totalBytes))
}

/** It appears below the visible area of the dialog. */
const intoView = (element: HTMLElement | null) => element?.scrollIntoView({ block: 'nearest' })

type KeyProps = { fingerprint: string; confirmed: boolean } & Pick<Props, 'busy' | 'reminds' | 'onChange'>

function HostKey({ fingerprint, confirmed, busy, reminds, onChange }: KeyProps) {
  const id = useId()
  return (
    <section className={styles.test} role="status">
      <h3>
        <Icon icon={confirmed ? Fingerprint : CircleAlert} />
        {texts.hostKey}
      </h3>
      <div className="grid gap-2 p-3">
        <KeyLine fingerprint={fingerprint} />
        <p className="meta subtle">
          {texts.compare} <code className="mono">ssh-keygen -lf /etc/ssh/ssh_host_ed25519_key.pub</code>
        </p>
        <label className="hstack" htmlFor={id}>
          <Checkbox
            id={id}
            checked={confirmed}
            disabled={busy}
            onChange={(on) => onChange(FINGERPRINT, on ? fingerprint : '')}
          />
          {texts.isMyKey}
        </label>
        {reminds && !confirmed && (
          <div ref={intoView}>
            <FieldError id={undefined}>{texts.confirmFirst}</FieldError>
          </div>
        )}
      </div>
    </section>
  )
}

const KeyLine = ({ fingerprint, label }: { fingerprint: string; label?: string }) => (
  <p className={styles.key}>
    {label && <span className="subtle">{label} </span>}
    <code className="mono">{fingerprint}</code>
  </p>
)
