import { useId } from 'react'
import { Link } from 'react-router'
import { Checkbox } from '../../ui/Checkbox.tsx'
import { FieldError } from '../../ui/Input.tsx'

type Props = { checked: boolean; error: string | undefined; onChange: (checked: boolean) => void }

export function TermsField({ checked, error, onChange }: Props) {
  const inputId = useId()
  const errorId = `${inputId}-error`
  return (
    <div className="mb-5">
      <label className="hstack items-start" htmlFor={inputId}>
        <Checkbox
          id={inputId}
          name="terms"
          className="mt-0.5"
          required
          checked={checked}
          onChange={onChange}
          aria-invalid={error ? true : undefined}
          aria-describedby={error ? errorId : undefined}
        />
        <span className="muted">
          I accept the terms and the{' '}
          <Link to="/privacy-policy" className="link">
            privacy policy
          </Link>
        </span>
      </label>
      {error && <FieldError id={errorId}>{error}</FieldError>}
    </div>
  )
}
