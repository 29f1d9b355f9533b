import type { PeopleService } from '../services/people.ts'
import type { UsersService } from '../services.ts'
import { changeName } from './changeName.ts'
import { changePassword } from './changePassword.ts'
import { deleteUser } from './deleteUser.ts'
import type { PeopleDeps } from './deps.ts'
import { endOtherSessions, endSession, listSessions } from './sessions.ts'

export function createPeopleService(deps: PeopleDeps & { readonly me: UsersService['me'] }): PeopleService {
  return {
    sessions: (viewer) => listSessions(deps.pool, viewer),
    endSession: (viewer, id) => endSession(deps, viewer, id),
    endOtherSessions: (viewer) => endOtherSessions(deps, viewer),
    changeName: (viewer, fullName) => changeName(deps, viewer, fullName),
    changePassword: async (viewer, input) => ({
      ...(await changePassword(deps, viewer, input)),
      user: await deps.me(viewer),
    }),
    deleteUser: (viewer, input) => deleteUser(deps, viewer, input),
  }
}
