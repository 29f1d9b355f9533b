import { Ellipsis, Plus } from 'lucide-react'
import { useId } from 'react'
import { graphql, useFragment } from 'react-relay'
import type {
  PoolCard_groupCloud$data,
  PoolCard_groupCloud$key,
} from '../../__generated__/PoolCard_groupCloud.graphql.ts'
import { Badge } from '../../ui/Badge.tsx'
import { Button } from '../../ui/Button.tsx'
import cardStyles from '../../ui/Card.module.css'
import { IconButton } from '../../ui/IconButton.tsx'
import { Menu } from '../../ui/Menu.tsx'
import { MembersTable } from './MembersTable.tsx'
import { messages } from './messages.ts'
import { NextFile } from './NextFile.tsx'
import { PoolCapacity } from './PoolCapacity.tsx'
import { PoolHealth } from './PoolHealth.tsx'
import { useChange } from './useChange.ts'

type Props = {
  groupCloud: PoolCard_groupCloud$key
  isOnly: boolean
  onEdit: () => void
  onDelete: () => void
}

/** One group cloud: capacity drawn per account, health, rules in plain words, members, and where the next file goes. */
export function PoolCard({ groupCloud, isOnly, onEdit, onDelete }: Props) {
  const data = useFragment(
    graphql`
      fragment PoolCard_groupCloud on GroupCloud {
        id
        name
        defaultUploadGroup
        placement
        copies
        spanning
        ...PoolCapacity_groupCloud
        ...PoolHealth_groupCloud
        ...MembersTable_groupCloud
        ...NextFile_groupCloud
      }
    `,
    groupCloud,
  )
  const heading = useId()
  const { change, busy } = useChange(data.id)
  const { name, defaultUploadGroup } = data
  return (
    <section className={cardStyles.card} aria-labelledby={heading}>
      <header className="px-5 pt-5">
        <div className="hstack flex-wrap">
          <h2 className="h2" id={heading}>
            {name}
          </h2>
          {defaultUploadGroup && <Badge tone="accent">{messages.default}</Badge>}
          <span className="grow" />
          {!defaultUploadGroup && (
            <Button
              size="sm"
              variant="ghost"
              busy={busy}
              onClick={() => change({ defaultUploadGroup: true }, messages.isDefault(name))}
            >
              {messages.setDefault}
            </Button>
          )}
          <Button size="sm" icon={Plus} className="only-d" onClick={onEdit}>
            {messages.addAccount}
          </Button>
          <MoreMenu {...{ name, isOnly, onEdit, onDelete }} isDefault={defaultUploadGroup} />
        </div>
        <p className="muted meta mt-1">{rulesOf(data)}</p>
        <PoolCapacity groupCloud={data} />
      </header>
      <PoolHealth groupCloud={data} />
      <MembersTable groupCloud={data} />
      <NextFile groupCloud={data} label={messages.next.title} />
    </section>
  )
}

/** "Most free space first · 2 copies · large files may span accounts". */
function rulesOf({ placement, copies, spanning }: PoolCard_groupCloud$data): string {
  const rule = messages.rules[placement as 'MOST_FREE' | 'IN_ORDER' | 'ROUND_ROBIN']
  return [rule, messages.rules.copies(copies), spanning ? messages.rules.spanning : messages.rules.noSpanning].join(
    ' · ',
  )
}

type MoreProps = Omit<Props, 'groupCloud'> & { name: string; isDefault: boolean }

function MoreMenu({ name, isDefault, isOnly, onEdit, onDelete }: MoreProps) {
  const reason = isOnly ? messages.removeLast : isDefault ? messages.removeDefault : undefined
  return (
    <Menu
      label={messages.more(name)}
      align="end"
      items={[
        { id: 'edit', label: messages.edit, onSelect: onEdit },
        'line',
        { id: 'delete', label: messages.remove, danger: true, disabledReason: reason, onSelect: onDelete },
      ]}
      trigger={(props) => <IconButton {...props} label={messages.more(name)} icon={Ellipsis} size="sm" />}
    />
  )
}
