import { Plus } from 'lucide-react'
import { useLayoutEffect, useRef } from 'react'
import { Button } from '../../../ui/Button.tsx'
import { Menu } from '../../../ui/Menu.tsx'
import { useNewItems } from './useNewItems.ts'

/** The button “New” with its menu, which is open at first: it takes the place of the button that was pressed. Import it lazily. */
export function NewMenu() {
  const items = useNewItems()
  const button = useRef<HTMLButtonElement>(null)
  useLayoutEffect(() => {
    // The focus returns to it when the menu is closed.
    button.current?.focus()
    button.current?.click()
  }, [])
  return (
    <Menu
      label="New"
      items={items}
      align="end"
      trigger={(props) => (
        <Button {...props} ref={button} variant="ghost" size="sm" icon={Plus}>
          New
        </Button>
      )}
    />
  )
}
