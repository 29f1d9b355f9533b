import { lazy, Suspense, useState } from 'react'
import { Button } from '../../ui/Button.tsx'
import { Section } from './Section.tsx'
import { words } from './words.ts'

const DeleteDialog = lazy(async () => ({ default: (await import('./DeleteDialog.tsx')).DeleteDialog }))

/** The way out for good. */
export function DeleteAccount() {
  const [isOpen, setOpen] = useState(false)
  return (
    <Section title={words.remove.title} text={words.remove.text}>
      <Button variant="danger" className="bordered" onClick={() => setOpen(true)}>
        {words.remove.open}
      </Button>
      <Suspense fallback={null}>{isOpen && <DeleteDialog onClose={() => setOpen(false)} />}</Suspense>
    </Section>
  )
}
