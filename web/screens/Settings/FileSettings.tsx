import { useId } from 'react'
import { useLetterKeys } from '../../lib/letterKeys.ts'
import { useFileEndings, useFoldersFirst } from '../../lib/listChoices.ts'
import { Switch } from '../../ui/Switch.tsx'
import { messages } from './messages.ts'
import { Section } from './Section.tsx'
import styles from './Settings.module.css'

const { files } = messages

/** How lists look and behave, on this device. */
export function FileSettings() {
  const [areLettersOn, setLetters] = useLetterKeys()
  const [areFoldersFirst, setFoldersFirst] = useFoldersFirst()
  const [areEndingsShown, setEndings] = useFileEndings()
  return (
    <Section title={files.title} text={files.text}>
      <Setting
        title={files.foldersFirst}
        text={files.foldersFirstText}
        checked={areFoldersFirst}
        onChange={setFoldersFirst}
      />
      <Setting title={files.singleKeys} text={files.singleKeysText} checked={areLettersOn} onChange={setLetters} />
      <Setting title={files.endings} text={files.endingsText} checked={areEndingsShown} onChange={setEndings} />
    </Section>
  )
}

type SettingProps = { title: string; text: string; checked: boolean; onChange: (checked: boolean) => void }

function Setting({ title, text, checked, onChange }: SettingProps) {
  const id = useId()
  return (
    <div className={styles.row}>
      <div className="grow">
        <label className="strong block" htmlFor={id}>
          {title}
        </label>
        <p className="muted">{text}</p>
      </div>
      <Switch id={id} checked={checked} onChange={onChange} />
    </div>
  )
}
