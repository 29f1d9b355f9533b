import { fetchQuery, graphql } from 'react-relay'
import type { IEnvironment } from 'relay-runtime'
import type { lostAnswerQuery } from '../../__generated__/lostAnswerQuery.graphql.ts'
import { isWorthRepeating, REPEATED_AFTER_MS } from '../../relay/runMutation.ts'

const query = graphql`
  query lostAnswerQuery {
    viewer {
      id
      accounts {
        id
        provider
        status
        ...AccountCard_account
      }
      ...PoolSummary_viewer
    }
  }
`

type Account = NonNullable<lostAnswerQuery['response']['viewer']>['accounts'][number]

/**
 * Connects a new account by `send`, which resolves with its id. What a provider has granted can be used only once, so after a lost answer
 * the accounts are read again instead: the new one of this provider is it. @throws what `send` throws, when there is none
 */
export async function connectOnce(
  environment: IEnvironment,
  provider: string,
  send: () => Promise<string>,
): Promise<string> {
  const before = new Set((await accountsOf(environment, 'store-or-network')).map(({ id }) => id))
  const isNew = (account: Account) => account.provider === provider && !before.has(account.id)
  return send().catch(async (error: unknown) => (await findAfter(environment, error, isNew)).id)
}

/** The same for an account that is connected again. @throws what `send` throws, when it still is not, or was before */
export async function reconnectOnce(
  environment: IEnvironment,
  id: string,
  send: () => Promise<unknown>,
): Promise<void> {
  const isConnected = (account: Account) => account.id === id && account.status === 'CONNECTED'
  const wasConnected = (await accountsOf(environment, 'store-or-network')).some(isConnected)
  const isBack = (account: Account) => !wasConnected && isConnected(account)
  await send().catch((error: unknown) => findAfter(environment, error, isBack))
}

async function findAfter(
  environment: IEnvironment,
  error: unknown,
  isDone: (account: Account) => boolean,
): Promise<Account> {
  for (const wait of isWorthRepeating(error) ? REPEATED_AFTER_MS : []) {
    await new Promise((resolve) => setTimeout(resolve, wait))
    const found = (await accountsOf(environment, 'network-only').catch(() => [])).find(isDone)
    if (found) return found
  }
  throw error
}

async function accountsOf(
  environment: IEnvironment,
  fetchPolicy: 'store-or-network' | 'network-only',
): Promise<readonly Account[]> {
  const read = fetchQuery<lostAnswerQuery>(environment, query, {}, { fetchPolicy })
  return (await read.toPromise())?.viewer?.accounts ?? []
}
