import { useLetterKeys } from '../../lib/letterKeys.ts'
import { Switch } from '../../ui/Switch.tsx'
import { Section } from './Section.tsx'
import { words } from './words.ts'

const { files } = words

export function FileSettings() {
  const [areLettersOn, setLetters] = useLetterKeys()
  return (
    <Section title={files.title} text={files.text}>
      <div className="srow">
        <div className="grow">
          <p className="strong">{files.singleKeys}</p>
          <p className="muted">{files.singleKeysText}</p>
        </div>
        <Switch label={files.singleKeys} checked={areLettersOn} onChange={setLetters} />
      </div>
    </Section>
  )
}
