import { ARGS } from '../args.ts'
import { type Call, type Route, route } from '../call.ts'
import type { User } from '../model.ts'
import { endGrant } from '../state.ts'
import { flattened, type Tagged, tag } from '../tags.ts'

/** What an account without a quota is said to have. */
const BOUNDLESS = 2 ** 50

export const ACCOUNT_ROUTES: Readonly<Record<string, Route>> = {
  'auth/token/revoke': route('rpc', null, ARGS.nothing, ({ state, token }) => {
    endGrant(state, token.grant)
    return null
  }),
  'users/get_current_account': route('rpc', 'account_info.read', ARGS.nothing, ({ user }) => accountOf(user)),
  'users/get_space_usage': route('rpc', 'account_info.read', ARGS.nothing, spaceUsage),
  'check/user': route('rpc', 'account_info.read', ARGS.echo, (_, { query }) => ({ result: query })),
}

function accountOf(user: User): object {
  const [given = user.name, ...rest] = user.name.split(' ')
  return {
    account_id: user.accountId,
    name: {
      given_name: given,
      surname: rest.join(' '),
      familiar_name: given,
      display_name: user.name,
      abbreviated_name: initialsOf(user.name),
    },
    email: user.email,
    email_verified: user.emailVerified,
    ...(user.photoUrl !== null && { profile_photo_url: user.photoUrl }),
    disabled: false,
    country: 'GB',
    locale: 'en',
    referral_link: `https://www.dropbox.com/referrals/${user.uid}`,
    is_paired: false,
    account_type: tag(user.team ? 'business' : 'basic'),
    root_info: rootInfoOf(user),
    ...(user.team && { team: { id: `dbtid:${user.uid}`, name: user.team.name } }),
  }
}

export function rootInfoOf(user: User): Tagged {
  const own = user.rootNamespace === user.homeNamespace
  const namespaces = { root_namespace_id: user.rootNamespace, home_namespace_id: user.homeNamespace }
  return own ? flattened('user', namespaces) : flattened('team', { ...namespaces, home_path: `/${user.name}` })
}

function initialsOf(name: string): string {
  return name
    .split(' ')
    .map((part) => [...part][0] ?? '')
    .join('')
}

function spaceUsage({ user }: Call): object {
  const used = user.usedBytes + user.usedByOthersBytes
  if (!user.team) return { used, allocation: flattened('individual', { allocated: user.quotaBytes ?? BOUNDLESS }) }
  const allocation = flattened('team', {
    used: user.team.used + used,
    allocated: user.team.allocated,
    user_within_team_space_allocated: user.team.memberAllocated,
    user_within_team_space_limit_type: tag(user.team.memberAllocated > 0 ? 'stop_sync' : 'off'),
    user_within_team_space_used_cached: used,
  })
  return { used, allocation }
}
