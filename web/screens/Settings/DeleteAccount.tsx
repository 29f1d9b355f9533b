import { Suspense, useState } from 'react'
import { Button } from '../../ui/Button.tsx'
import { lateDialog } from '../../ui/lateDialog.tsx'
import { messages } from './messages.ts'
import { Section } from './Section.tsx'
import styles from './Settings.module.css'

const DeleteDialog = lateDialog(() => import('./DeleteDialog.tsx').then((file) => file.DeleteDialog))

/** Opens the dialog that deletes the user's account permanently. */
export function DeleteAccount() {
  const [isOpen, setOpen] = useState(false)
  return (
    <Section title={messages.remove.title} text={messages.remove.text}>
      <Button variant="danger" className={styles.bordered} onClick={() => setOpen(true)}>
        {messages.remove.open}
      </Button>
      <Suspense fallback={null}>{isOpen && <DeleteDialog onClose={() => setOpen(false)} />}</Suspense>
    </Section>
  )
}
