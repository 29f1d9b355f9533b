import { Copy } from 'lucide-react'
import { copyText } from '../../ui/copyText.ts'
import { IconButton } from '../../ui/IconButton.tsx'
import styles from './Details.module.css'

type Props = { readonly value: string; readonly short: string; readonly label: string }

/** Shows a short form, copies the whole value. */
export function CopyValue({ value, short, label }: Props) {
  return (
    <span className="inline-flex items-center gap-1">
      <span className="mono" title={value}>
        {short}
      </span>
      <IconButton
        size="sm"
        className={styles.copyValue}
        label={label}
        icon={Copy}
        iconSize={12}
        onClick={() => copyText(value)}
      />
    </span>
  )
}
