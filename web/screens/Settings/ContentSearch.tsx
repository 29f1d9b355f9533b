import { useId, useState } from 'react'
import { graphql, useFragment, useRelayEnvironment } from 'react-relay'
import type {
  ContentSearch_viewer$data,
  ContentSearch_viewer$key,
} from '../../__generated__/ContentSearch_viewer.graphql.ts'
import type { ContentSearchMutation } from '../../__generated__/ContentSearchMutation.graphql.ts'
import { accountLabel } from '../../lib/accountLabel.ts'
import { nameText } from '../../lib/nameText.ts'
import { reasonOf, runMutation } from '../../relay/runMutation.ts'
import { Switch } from '../../ui/Switch.tsx'
import { toast } from '../../ui/toast.ts'
import { messages } from './messages.ts'
import { Section } from './Section.tsx'
import styles from './Settings.module.css'

const { contentSearch: texts } = messages

const mutation = graphql`
  mutation ContentSearchMutation($input: UpdateAccountInput!) {
    updateAccount(input: $input) {
      __typename
      ... on UpdateAccountPayload { account { id searchContents } }
      ... on Error { code message }
    }
  }
`

/** For which accounts the text inside files is searched. */
export function ContentSearch({ viewer }: { viewer: ContentSearch_viewer$key }) {
  const { accounts } = useFragment(
    graphql`
      fragment ContentSearch_viewer on User {
        accounts {
          id
          name
          provider
          providerName
          searchContents
          index { phase }
        }
      }
    `,
    viewer,
  )
  // Of the others, only what Skypool stores is known.
  const shown = accounts.filter(({ provider, index }) => provider === 'local' || index)
  return (
    <Section anchor="search" title={texts.title} text={texts.text}>
      {shown.map((account) => (
        <AccountSwitch key={account.id} account={account} />
      ))}
    </Section>
  )
}

type Account = ContentSearch_viewer$data['accounts'][number]

function AccountSwitch({ account }: { account: Account }) {
  const environment = useRelayEnvironment()
  const [busy, setBusy] = useState(false)
  const id = useId()
  const isLocal = account.provider === 'local'

  async function change(searchContents: boolean): Promise<void> {
    setBusy(true)
    try {
      const outcome = (answer: ContentSearchMutation['response']) => answer.updateAccount
      await runMutation<ContentSearchMutation>(environment, {
        mutation,
        variables: { input: { id: account.id, searchContents } },
        outcome,
      })
      toast.success(searchContents ? texts.turnedOn : texts.turnedOff)
    } catch (error) {
      toast.error(texts.notSaved, { description: reasonOf(error) })
    } finally {
      setBusy(false)
    }
  }

  return (
    <div className={styles.row}>
      <div className="grow">
        <label className="strong block" htmlFor={id}>
          {isLocal ? texts.stored : nameText(accountLabel(account))}
        </label>
        <p className="muted">{isLocal ? texts.storedText : texts.accountText}</p>
      </div>
      <Switch id={id} checked={account.searchContents} disabled={busy} onChange={(checked) => void change(checked)} />
    </div>
  )
}
