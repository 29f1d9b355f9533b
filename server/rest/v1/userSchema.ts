import { z } from 'zod'
import type { User as DomainUser } from '../../domain/services.ts'
import { publicId } from '../../lib/ids.ts'
import { DateTime } from '../schemas.ts'

export const User = z
  .object({
    id: z.string(),
    fullName: z.string(),
    email: z.string(),
    avatarUrl: z.string().describe('Path of the picture on this server.'),
    createdAt: DateTime,
  })
  .meta({ id: 'User' })

export function presentUser({ id, fullName, email, createdAt }: DomainUser): z.infer<typeof User> {
  const userId = publicId('User', id)
  return { id: userId, fullName, email, avatarUrl: `/avatars/${userId}`, createdAt: createdAt.toISOString() }
}
