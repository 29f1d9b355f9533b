import { useId } from 'react'
import { labelStyle } from './labelStyle.ts'
import { COLOR_NAMES, messages } from './messages.ts'
import styles from './Tags.module.css'

export type Color = keyof typeof COLOR_NAMES

export const COLORS = Object.keys(COLOR_NAMES) as Color[]

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
