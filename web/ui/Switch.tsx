type Props = { checked: boolean; onChange: (checked: boolean) => void; label: string; disabled?: boolean }

/** A setting that takes effect at once. `label` is its accessible name; show the same words beside it. */
export function Switch({ checked, onChange, label, disabled }: Props) {
  return (
    <input
      type="checkbox"
      role="switch"
      className="switch"
      checked={checked}
      aria-checked={checked}
      disabled={disabled}
      aria-label={label}
      onChange={(event) => onChange(event.currentTarget.checked)}
    />
  )
}
