import { Suspense } from 'react'
import { accountLabel } from '../../../lib/accountLabel.ts'
import { nameText } from '../../../lib/nameText.ts'
import { Button } from '../../../ui/Button.tsx'
import type { MenuEntry, MenuItem } from '../../../ui/MenuSurface.tsx'
import { type FileManager, useFileManager } from '../FilesContext.ts'
import { ANYWHERE, hasFilters, NO_FILTERS, type UrlState } from '../urlState.ts'
import { Filter } from './Filter.tsx'
import { CATEGORY_NAMES, CHANGED_NAMES, HOME_NAMES, placeText, SIZE_NAMES } from './filterText.ts'
import { TagFilter } from './TagFilter.tsx'

/**
 * The filters: type, place, time, size, state. One choice each; an active one can be removed with its button.
 * @param opened the filter whose menu is open at first, in their order
 */
export function FilterMenus({ opened }: { readonly opened: number | null }) {
  const manager = useFileManager()
  const { url, setUrl } = manager
  const { query, ...filters } = NO_FILTERS
  const type = url.categories.map((category) => CATEGORY_NAMES[category]).join(', ')
  return (
    <>
      <Filter name="Type" isOpened={opened === 0} value={type} items={typeItems(manager)} none={{ categories: [] }} />
      <Filter
        name="Where"
        isOpened={opened === 1}
        value={placeText(url, manager)}
        items={placeItems(manager)}
        none={ANYWHERE}
      />
      <Suspense fallback={<Filter name="Tag" isOpened={false} value={null} items={[]} none={{ tag: null }} />}>
        <TagFilter isOpened={opened === 2} />
      </Suspense>
      <Filter
        name="Changed"
        isOpened={opened === 3}
        value={url.changed && CHANGED_NAMES[url.changed]}
        items={choices(manager, 'changed', CHANGED_NAMES, 'Any time')}
        none={{ changed: null }}
      />
      <Filter
        name="Size"
        isOpened={opened === 4}
        value={url.size && SIZE_NAMES[url.size]}
        items={choices(manager, 'size', SIZE_NAMES, 'Any size')}
        none={{ size: null }}
      />
      <Filter
        name="State"
        isOpened={opened === 5}
        value={url.atRisk ? 'At risk' : null}
        items={stateItems(manager)}
        none={{ atRisk: false }}
      />
      {hasFilters({ ...url, query: '' }) && (
        <Button variant="ghost" size="sm" onClick={() => setUrl(filters, { replace: true })}>
          Clear filters
        </Button>
      )}
    </>
  )
}

function typeItems(manager: FileManager): MenuEntry[] {
  const { url, setUrl } = manager
  const names = Object.entries(CATEGORY_NAMES) as [keyof typeof CATEGORY_NAMES, string][]
  return [
    { id: 'any', label: 'Any type', checked: url.categories.length === 0, onSelect: () => setUrl({ categories: [] }) },
    ...names.map(([category, label]) => ({
      id: category,
      label,
      checked: url.categories.includes(category),
      onSelect: () => setUrl({ categories: [category] }, { replace: true }),
    })),
  ]
}

/** One place at a time. */
function placeItems({ url, setUrl, groupClouds, providers, accounts }: FileManager): MenuEntry[] {
  const item = (label: string, patch: Partial<typeof ANYWHERE | UrlState>, checked: boolean): MenuItem => ({
    id: JSON.stringify(patch),
    label,
    checked,
    onSelect: () => setUrl({ ...ANYWHERE, ...patch }, { replace: true }),
  })
  const isAnywhere = !url.groupCloud && !url.provider && !url.account && !url.home
  const group = (items: readonly MenuItem[]): MenuEntry[] => (items.length === 0 ? [] : ['line', ...items])
  return [
    item('Anywhere', {}, isAnywhere),
    item(HOME_NAMES.ACCOUNT, { home: 'ACCOUNT' }, url.home === 'ACCOUNT'),
    item(HOME_NAMES.POOL, { home: 'POOL' }, url.home === 'POOL'),
    ...group(
      accounts.map((account) =>
        item(nameText(accountLabel(account)), { account: account.id }, url.account === account.id),
      ),
    ),
    ...group(groupClouds.map(({ id, name }) => item(nameText(name), { groupCloud: id }, url.groupCloud === id))),
    // Those with one account are the same as that account.
    ...group(
      providers
        .filter(({ id }) => url.provider === id || accounts.filter(({ provider }) => provider === id).length > 1)
        .map(({ id, name }) => item(`All of ${name}`, { provider: id }, url.provider === id)),
    ),
  ]
}

function choices<Field extends 'changed' | 'size'>(
  { url, setUrl }: FileManager,
  field: Field,
  names: Readonly<Record<NonNullable<UrlState[Field]>, string>>,
  any: string,
): MenuEntry[] {
  const choose = (value: UrlState[Field] | null) => setUrl({ [field]: value }, { replace: true })
  const entries = Object.entries(names) as [NonNullable<UrlState[Field]>, string][]
  return [
    { id: 'any', label: any, checked: url[field] === null, onSelect: () => choose(null) },
    ...entries.map(([value, label]) => ({
      id: value,
      label,
      checked: url[field] === value,
      onSelect: () => choose(value),
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
