import { Label, Listbox, ListboxButton, ListboxOption, ListboxOptions, Field as SelectField } from '@headlessui/react'
import { Check, ChevronsUpDown } from 'lucide-react'
import type { ReactNode } from 'react'
import { cx } from '../lib/cx.ts'
import { Icon } from './Icon.tsx'
import inputStyles from './Input.module.css'
import styles from './Select.module.css'

export type SelectOption = {
  value: string
  label: string
  /** In front of the label: a mini pool bar. */
  mark?: ReactNode
  /** At the end, muted: free space. */
  note?: string
  disabled?: boolean
}

type Props = {
  label: string
  value: string | null
  options: readonly SelectOption[]
  onChange: (value: string) => void
  placeholder?: string
  /** For a select whose surrounding text or value is clear enough; the label remains its accessible name. */
  hideLabel?: boolean
  className?: string | undefined
  disabled?: boolean
  invalid?: boolean
  /** Id of the text that describes it: a hint, or what is wrong. */
  noteId?: string
}

/** One of several. Import it lazily, as Dialog: it brings Headless UI along. */
export function Select({ label, value, options, onChange, placeholder = '', ...look }: Props) {
  const { hideLabel = false, className, disabled = false, invalid = false, noteId } = look
  const chosen = options.find((option) => option.value === value)
  return (
    <SelectField disabled={disabled}>
      <Label className={hideLabel ? 'sr-only' : inputStyles.label}>{label}</Label>
      <Listbox value={value} onChange={(next) => next !== null && onChange(next)}>
        <ListboxButton
          className={cx(styles.select, invalid && styles.err, className)}
          aria-invalid={invalid || undefined}
          aria-describedby={noteId}
        >
          {chosen?.mark}
          <span className="grow ell">{chosen?.label ?? placeholder}</span>
          {chosen?.note && <span className="meta num">{chosen.note}</span>}
          <Icon icon={ChevronsUpDown} size={14} />
        </ListboxButton>
        <ListboxOptions anchor={{ to: 'bottom start', gap: 4 }} className={styles.options}>
          {options.map((option) => (
            <Option key={option.value} option={option} />
          ))}
        </ListboxOptions>
      </Listbox>
    </SelectField>
  )
}

function Option({ option }: { option: SelectOption }) {
  return (
    <ListboxOption value={option.value} disabled={option.disabled ?? false} className={styles.option}>
      {option.mark}
      <span className="grow ell">{option.label}</span>
      {option.note && <span className="meta subtle num">{option.note}</span>}
      <Icon icon={Check} size={14} className={styles.optionCheck} />
    </ListboxOption>
  )
}
