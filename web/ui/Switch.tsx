import styles from './Switch.module.css'

type Props = {
  checked: boolean
  onChange: (checked: boolean) => void
  /** For the `<label>` next to it: pressing the label toggles the switch too. */
  id: string
  disabled?: boolean
}

/** A setting that takes effect at once. Its name is the label that points at `id`. */
export function Switch({ checked, onChange, id, disabled }: Props) {
  return (
    <input
      type="checkbox"
      role="switch"
      id={id}
      className={styles.track}
      checked={checked}
      aria-checked={checked}
      disabled={disabled}
      onChange={(event) => onChange(event.currentTarget.checked)}
    />
  )
}
