import type { ModelFile } from '../model.ts'
import type { Chance } from '../random.ts'
import type { World } from '../world.ts'
import { NOTHING, type Operation } from './operation.ts'

/** Changes a file; without an answer it is not known whether that happened. */
async function change(file: ModelFile, act: () => Promise<void>): Promise<void> {
  file.uncertain = true
  await act()
  file.uncertain = false
}

function pickFile({ model }: World, chance: Chance, trashed: boolean | null): ModelFile | undefined {
  return chance.pick(model.live().filter((file) => trashed === null || file.trashed === trashed))
}

export const rename: Operation = async (world, chance) => {
  const file = pickFile(world, chance, false)
  if (!file?.id) return NOTHING
  const { id } = file
  const name = `renamed ${chance.between(1, 30)}.bin`
  await change(file, async () => {
    await world.server.files.rename(world.viewer, id, name)
    file.name = name
  })
  return `${file.number} is ${name}`
}

export const trash: Operation = async (world, chance) => {
  const file = pickFile(world, chance, false)
  if (!file?.id) return NOTHING
  const { id } = file
  await change(file, async () => {
    await world.server.files.trash(world.viewer, [id])
    file.trashed = true
  })
  return file.name
}

export const restore: Operation = async (world, chance) => {
  const file = pickFile(world, chance, true)
  if (!file?.id) return NOTHING
  const { id } = file
  await change(file, async () => {
    const [restored] = await world.server.files.restore(world.viewer, [id])
    file.trashed = false
    file.name = restored?.name ?? file.name
  })
  return file.name
}

export const purge: Operation = async (world, chance) => {
  const file = pickFile(world, chance, null)
  if (!file?.id) return NOTHING
  const { id } = file
  await change(file, async () => {
    await world.server.files.remove(world.viewer, [id])
    file.purged = true
  })
  return file.name
}

export const emptyTrash: Operation = async (world) => {
  const trashed = world.model.live().filter((file) => file.trashed)
  for (const file of trashed) file.uncertain = true
  const count = await world.server.files.emptyTrash(world.viewer)
  for (const file of trashed) Object.assign(file, { purged: true, uncertain: false })
  return `${count} files`
}

export const moveToGroupCloud: Operation = async (world, chance) => {
  const file = pickFile(world, chance, null)
  const groupCloudId = chance.pick(world.groupCloudIds)
  if (!file?.id || !groupCloudId) return NOTHING
  const { id } = file
  await change(file, async () => {
    await world.server.files.moveToGroupCloud(world.viewer, [id], groupCloudId)
    file.groupCloudId = groupCloudId
  })
  return file.name
}
