import { ChevronsUpDown, X } from 'lucide-react'
import { useState } from 'react'
import { accountLabel } from '../../lib/accountLabel.ts'
import { cx } from '../../lib/cx.ts'
import { nameText } from '../../lib/nameText.ts'
import { Button } from '../../ui/Button.tsx'
import { Icon } from '../../ui/Icon.tsx'
import { IconButton } from '../../ui/IconButton.tsx'
import { Menu } from '../../ui/Menu.tsx'
import type { MenuEntry, MenuItem } from '../../ui/MenuSurface.tsx'
import { type Choice, type ChoiceGroup, POOL, type Rule, withRule } from './choice.ts'
import styles from './Duplicates.module.css'
import { messages } from './messages.ts'

type Account = { readonly id: string; readonly name: string; readonly provider: string; readonly providerName: string }

/** What the choice does. `note`: about groups that stay as they are. */
export type Outcome = { readonly files: number; readonly bytes: number; readonly note: string | null }

type Props = {
  /** How many groups are selected, as text. */
  title: string
  /** Those of the selected groups that are shown. */
  groups: readonly ChoiceGroup[]
  choice: Choice
  accounts: readonly Account[]
  /** Null: it is being counted. */
  outcome: Outcome | null
  onChange: (choice: Choice) => void
  onClear: () => void
  onTrash: () => Promise<void>
}

/** Chooses which file of each selected group stays, and moves the others to the trash. */
export function ChoiceBar({ title, groups, choice, accounts, outcome, onChange, onClear, onTrash }: Props) {
  const [isBusy, setBusy] = useState(false)
  const set = (rule: Rule) => onChange(withRule(choice, rule))
  const items = {
    ACCOUNT: accountItems(choice.all ? null : groups, accounts, choice.rule, set),
    FOLDER: folderItems(groups, choice.rule, set),
  }
  const simple = (['OLDEST', 'NEWEST'] as const).map(
    (keep): MenuItem => ({
      id: keep,
      label: messages.rules[keep],
      checked: choice.rule?.keep === keep,
      onSelect: () => set({ keep }),
    }),
  )
  const all: MenuEntry[] = [
    ...simple,
    'line',
    ...items.ACCOUNT,
    ...(items.FOLDER.length > 0 ? ['line' as const] : []),
    ...items.FOLDER,
  ]
  async function trash() {
    setBusy(true)
    await onTrash()
    setBusy(false)
  }
  return (
    <section className={styles.choice} aria-label={title}>
      <b className="num">{title}</b>
      {/* biome-ignore lint/a11y/useSemanticElements: a fieldset would be a form's */}
      <div className={styles.rules} role="group" aria-label={messages.rule}>
        <span className="strong" aria-hidden>
          {messages.keep}
        </span>
        <span className={styles.segments}>
          {simple.map(({ id, label, checked, onSelect }) => (
            <button key={id} type="button" aria-pressed={checked} onClick={onSelect}>
              {label}
            </button>
          ))}
          {(['ACCOUNT', 'FOLDER'] as const)
            .filter((keep) => items[keep].length > 0)
            .map((keep) => (
              <Menu
                key={keep}
                label={messages.rules[keep]}
                items={items[keep]}
                trigger={(props) => (
                  <button {...props} type="button" aria-pressed={choice.rule?.keep === keep}>
                    {choice.rule?.keep === keep && 'name' in choice.rule
                      ? messages.inPlace(choice.rule.name)
                      : messages.rules[keep]}
                  </button>
                )}
              />
            ))}
        </span>
      </div>
      <Menu
        label={messages.rule}
        items={all}
        trigger={(props) => (
          <button {...props} type="button" className={styles.ruleSelect}>
            <span className="muted">{messages.keep}</span>
            <span className={cx('grow ell', !choice.rule && 'subtle')}>{ruleText(choice.rule)}</span>
            <Icon icon={ChevronsUpDown} size={14} />
          </button>
        )}
      />
      <span className={`grow num muted ${styles.outcome}`} role="status">
        {outcome === null ? messages.counting : outcomeText(outcome, choice)}
      </span>
      <span className={styles.clear}>
        <IconButton label={messages.clearSelection} icon={X} onClick={onClear} />
      </span>
      <Button variant="primary" busy={isBusy} disabled={!outcome?.files} onClick={() => void trash()}>
        <span className="num">{messages.move(outcome?.files ?? 0)}</span>
      </Button>
    </section>
  )
}

function outcomeText({ files, bytes, note }: Outcome, { rule, byHand }: Choice): string {
  if (rule === null && byHand.size === 0) return messages.chooseRule
  return [messages.outcome(files, bytes), ...(note === null ? [] : [note])].join(' · ')
}

function ruleText(rule: Rule | null): string {
  if (rule === null) return messages.choose
  return 'name' in rule ? messages.inPlace(rule.name) : messages.rules[rule.keep]
}

type SetRule = (rule: Rule) => void

/** The accounts that the selected groups have files in. Null: any can have. */
function accountItems(
  groups: readonly ChoiceGroup[] | null,
  accounts: readonly Account[],
  rule: Rule | null,
  set: SetRule,
) {
  const used = new Set(groups?.flatMap(({ files }) => files.map(({ account }) => account?.id ?? POOL)))
  const isUsed = (id: string) => groups === null || used.has(id)
  const places = [
    ...(isUsed(POOL) ? [{ id: POOL, name: messages.pool }] : []),
    ...accounts
      .filter(({ id, provider }) => isUsed(id) && provider !== 'local')
      .map((account) => ({ id: account.id, name: accountLabel(account) })),
  ]
  return places.map((place) => itemOf('ACCOUNT', place, rule, set))
}

/** The folders that the selected groups have files in, with those of most files first. */
function folderItems(groups: readonly ChoiceGroup[], rule: Rule | null, set: SetRule) {
  const folders = new Map<string, { id: string; name: string; files: number }>()
  for (const { parent } of groups.flatMap(({ files }) => files)) {
    if (!parent) continue
    const before = folders.get(parent.id)?.files ?? 0
    folders.set(parent.id, { id: parent.id, name: nameText(parent.name), files: before + 1 })
  }
  const most = [...folders.values()].sort((a, b) => b.files - a.files).slice(0, 20)
  return most.map((place) => itemOf('FOLDER', place, rule, set))
}

function itemOf(
  keep: 'ACCOUNT' | 'FOLDER',
  { id, name }: { id: string; name: string },
  rule: Rule | null,
  set: SetRule,
): MenuItem {
  const checked = rule?.keep === keep && 'id' in rule && rule.id === id
  return { id: `${keep} ${id}`, label: name, checked, onSelect: () => set({ keep, id, name }) }
}
