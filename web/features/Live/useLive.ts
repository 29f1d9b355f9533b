import { graphql, useSubscription } from 'react-relay'
import type { GraphQLSubscriptionConfig } from 'relay-runtime'
import type { useLiveSubscription } from '../../__generated__/useLiveSubscription.graphql.ts'
import { accessChanges, filesChanges, transfersChanges } from './liveEvents.ts'

const subscription = graphql`
  subscription useLiveSubscription {
    changes {
      files {
        files {
          id
          ...FileRow_file
          ...FileTile_file
        }
        removedIds
        parentIds
        truncated
      }
      transfers {
        id
        state
        ...StoringList_transfer
      }
      viewer {
        id
        ...PoolSummary_viewer
        accounts {
          id
          ...AccountCard_account
        }
        groupClouds {
          id
          ...PoolCard_groupCloud
        }
      }
      access {
        id
      }
    }
  }
`

const config: GraphQLSubscriptionConfig<useLiveSubscription> = {
  subscription,
  variables: {},
  onNext: (data) => {
    const { files, transfers = [], access } = data?.changes ?? {}
    if (files) filesChanges.say(files)
    if (transfers.length > 0) transfersChanges.say(transfers)
    if (access) accessChanges.say()
  },
}

/**
 * The page's one line of live changes: browsers allow few connections to a host. What it tells goes into the store by
 * itself; lists hear of it through liveEvents. Mount it once, where somebody is signed in.
 */
export function useLive(): void {
  useSubscription<useLiveSubscription>(config)
}
