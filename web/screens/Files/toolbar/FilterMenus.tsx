import { ChevronDown } from 'lucide-react'
import { Button } from '../../../ui/Button.tsx'
import { Icon } from '../../../ui/Icon.tsx'
import { Menu } from '../../../ui/Menu.tsx'
import type { MenuEntry } from '../../../ui/MenuSurface.tsx'
import { type FileManager, useFileManager } from '../FilesContext.ts'
import { CATEGORY_NAMES, nameOf } from '../messages.ts'
import type { Category } from '../urlState.ts'

/** The filters: type, group cloud, provider, state. One choice each; "Any" removes the filter. */
export function FilterMenus() {
  const manager = useFileManager()
  const { url, groupClouds } = manager
  const group = groupClouds.find((cloud) => cloud.id === url.groupCloud)
  const type = url.categories.map((category) => CATEGORY_NAMES[category]).join(', ')
  return (
    <>
      <FilterMenu name="Type" value={type || null} items={typeItems(manager)} />
      <FilterMenu name="Group cloud" value={group?.name ?? null} items={groupItems(manager)} />
      <FilterMenu
        name="Provider"
        value={nameOf(manager.providers, url.provider) ?? url.provider}
        items={providerItems(manager)}
      />
      <FilterMenu name="State" value={url.atRisk ? 'At risk' : null} items={stateItems(manager)} />
    </>
  )
}

function FilterMenu({ name, value, items }: { name: string; value: string | null; items: MenuEntry[] }) {
  return (
    <Menu
      label={name}
      items={items}
      trigger={(props) => (
        <Button {...props} size="sm" active={value !== null}>
          {value ? `${name}: ${value}` : name}
          <Icon icon={ChevronDown} size={12} />
        </Button>
      )}
    />
  )
}

export function typeItems({ url, setUrl }: FileManager): MenuEntry[] {
  const choose = (categories: readonly Category[]) => setUrl({ categories }, { replace: true })
  const choices = Object.entries(CATEGORY_NAMES) as [Category, string][]
  return [
    { id: 'any', label: 'Any type', checked: url.categories.length === 0, onSelect: () => choose([]) },
    ...choices.map(([category, label]) => ({
      id: category,
      label,
      checked: url.categories.includes(category),
      onSelect: () => choose([category]),
    })),
  ]
}

function groupItems({ url, setUrl, groupClouds }: FileManager): MenuEntry[] {
  const choose = (groupCloud: string | null) => setUrl({ groupCloud }, { replace: true })
  return [
    { id: 'any', label: 'Any group cloud', checked: url.groupCloud === null, onSelect: () => choose(null) },
    ...groupClouds.map(({ id, name }) => ({
      id,
      label: name,
      checked: url.groupCloud === id,
      onSelect: () => choose(id),
    })),
  ]
}

function providerItems({ url, setUrl, providers }: FileManager): MenuEntry[] {
  const choose = (provider: string | null) => setUrl({ provider }, { replace: true })
  return [
    { id: 'any', label: 'Any provider', checked: url.provider === null, onSelect: () => choose(null) },
    ...providers.map(({ id, name }) => ({
      id,
      label: name,
      checked: url.provider === id,
      onSelect: () => choose(id),
    })),
  ]
}

function stateItems({ url, setUrl }: FileManager): MenuEntry[] {
  const choose = (atRisk: boolean) => setUrl({ atRisk }, { replace: true })
  return [
    { id: 'any', label: 'Any state', checked: !url.atRisk, onSelect: () => choose(false) },
    { id: 'risk', label: 'At risk', checked: url.atRisk, onSelect: () => choose(true) },
  ]
}
