import { useId } from 'react'
import { Checkbox } from '../../ui/Checkbox.tsx'
import styles from './Duplicates.module.css'
import { messages } from './messages.ts'

type Props = {
  /** Certain groups, on all pages. */
  count: number
  /** 'mixed': some groups are selected. */
  checked: boolean | 'mixed'
  onChange: (checked: boolean) => void
}

/** Selects all certain groups, also those of other pages. */
export function SelectAll({ count, checked, onChange }: Props) {
  const id = useId()
  if (count < 2) return null
  return (
    <label htmlFor={id} className={`num ${styles.selectAll}`}>
      <Checkbox id={id} checked={checked} onChange={onChange} />
      {messages.selectAll(count)}
    </label>
  )
}
