import { Copy } from 'lucide-react'
import { IconButton } from '../../ui/IconButton.tsx'
import { toast } from '../../ui/toast.ts'

type Props = { readonly value: string; readonly short: string; readonly label: string }

/** Shows the short form, copies the whole. */
export function CopyValue({ value, short, label }: Props) {
  return (
    <span className="inline-flex items-center gap-1">
      <span className="mono" title={value}>
        {short}
      </span>
      <IconButton
        size="sm"
        className="copy-value"
        label={label}
        icon={Copy}
        iconSize={12}
        onClick={() => copy(value)}
      />
    </span>
  )
}

async function copy(value: string): Promise<void> {
  try {
    // Over plain http from another host there is no clipboard at all.
    if (!navigator.clipboard) throw new Error('the browser allows it only over https')
    await navigator.clipboard.writeText(value)
    toast.success('Copied to clipboard')
  } catch (error) {
    toast.error(`Failed to copy ${error instanceof Error ? error.message : String(error)}`)
  }
}
