import { graphql, useSubscription } from 'react-relay'
import type { GraphQLSubscriptionConfig } from 'relay-runtime'
import type { useLiveSubscription } from '../../__generated__/useLiveSubscription.graphql.ts'
import { accessChanges, filesChanges, jobsChanges, transfersChanges } from './liveEvents.ts'

/**
 * The first message contains the changes of the last seconds, which the queries of the page may have been too early for, and the
 * position from which a later connection resumes.
 */
const RECENT = 'recent'

const subscription = graphql`
  subscription useLiveSubscription($since: String) {
    changes(since: $since) {
      position
      reset
      files {
        files {
          id
          asOf
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
      jobs {
        id
        kind
        state
        name
        ...JobsList_job
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
      tags {
        id
        tags { id name color }
      }
    }
  }
`

const config: GraphQLSubscriptionConfig<useLiveSubscription> = {
  subscription,
  variables: { since: RECENT },
  onNext: (data) => {
    const { files, transfers = [], jobs = [], access } = data?.changes ?? {}
    if (files) filesChanges.say(files)
    if (transfers.length > 0) transfersChanges.say(transfers)
    if (jobs.length > 0) jobsChanges.say(jobs)
    if (access) accessChanges.say()
  },
}

/**
 * The page's only subscription to live changes, because browsers allow few connections per host. Its data updates the
 * store; lists are notified through liveEvents. Mount it once, where a user is signed in.
 */
export function useLive(): void {
  useSubscription<useLiveSubscription>(config)
}
