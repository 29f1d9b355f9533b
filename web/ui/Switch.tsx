type Props = {
  checked: boolean
  onChange: (checked: boolean) => void
  /** For the `<label>` with the words beside it: pressing them switches too. */
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
      className="switch"
      checked={checked}
      aria-checked={checked}
      disabled={disabled}
      onChange={(event) => onChange(event.currentTarget.checked)}
    />
  )
}
