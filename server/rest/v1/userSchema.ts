import { z } from 'zod'
import type { User as DomainUser } from '../../domain/users/contract.ts'
import { publicId } from '../../lib/ids.ts'
import { DateTime } from '../schemas.ts'

export const User = z
  .object({
    id: z.string(),
    fullName: z.string(),
    email: z.string(),
    avatarUrl: z.string().describe('Path of the picture on this server.'),
    role: z.enum(['MEMBER', 'ADMINISTRATOR']).describe('The first user is the administrator.'),
    createdAt: DateTime,
  })
  .meta({ id: 'User' })

export function presentUser({ id, fullName, email, role, createdAt }: DomainUser): z.infer<typeof User> {
  const userId = publicId('User', id)
  return { id: userId, fullName, email, avatarUrl: `/avatars/${userId}`, role, createdAt: createdAt.toISOString() }
}
