import { useId } from 'react'
import { COLOR_NAMES, COLORS, type Color, labelStyle, messages } from './labels.ts'
import styles from './Tags.module.css'

type Props = { readonly value: Color; readonly onChange: (color: Color) => void }

/** One of the colours of tags, as radio buttons. */
export function ColorChoice({ value, onChange }: Props) {
  const name = useId()
  return (
    <fieldset className={styles.colors}>
      <legend>{messages.color}</legend>
      {COLORS.map((color) => (
        <label key={color} title={COLOR_NAMES[color]}>
          <span className="sr-only">{COLOR_NAMES[color]}</span>
          <input
            type="radio"
            name={name}
            value={color}
            style={labelStyle(color)}
            checked={color === value}
            onChange={() => onChange(color)}
          />
        </label>
      ))}
    </fieldset>
  )
}
