import type { Blob, Blobs } from '../core/blobs.ts'

/** A file or a folder, by its path: `files/ann/Photos/sea.jpg`. */
export type Node = {
  readonly path: string
  readonly kind: 'file' | 'folder'
  readonly id: number
  readonly content: Blob | null
  readonly createdAt: number
  modifiedAt: number
  etag: string
}

export type Tree = {
  get(path: string): Node | null
  /** Direct children, in order of their names. */
  children(path: string): readonly Node[]
  /** With everything in it, and itself. */
  below(path: string): readonly Node[]
  makeFolder(path: string): Node
  /** Replaces a file, which keeps its id. */
  putFile(path: string, content: Blob, modifiedAt?: number): Node
  /** With everything in it; ids and etags stay. */
  move(from: string, to: string): void
  copy(from: string, to: string): Promise<void>
  remove(path: string): Promise<void>
  /** Bytes of all files below a path. */
  usage(path: string): number
}

export function createTree(blobs: Blobs, clock: () => number): Tree {
  const nodes = new Map<string, Node>()
  let next = 0
  const add = (node: Omit<Node, 'id' | 'etag' | 'createdAt'>, id?: number): Node => {
    next += 1
    const made = { ...node, id: id ?? next, etag: `e${next}`, createdAt: clock() }
    nodes.set(node.path, made)
    return made
  }
  const below = (path: string): Node[] =>
    [...nodes.values()].filter((node) => node.path === path || node.path.startsWith(`${path}/`))
  return {
    get: (path) => nodes.get(path) ?? null,
    below,
    children: (path) =>
      below(path)
        .filter((node) => node.path !== path && !node.path.slice(path.length + 1).includes('/'))
        .sort((a, b) => (a.path < b.path ? -1 : 1)),
    makeFolder: (path) => add({ path, kind: 'folder', content: null, modifiedAt: clock() }),
    putFile: (path, content, modifiedAt = clock()) =>
      add({ path, kind: 'file', content, modifiedAt }, nodes.get(path)?.id),
    move(from, to) {
      for (const node of below(from)) {
        nodes.delete(node.path)
        const path = to + node.path.slice(from.length)
        nodes.set(path, { ...node, path })
      }
    },
    async copy(from, to) {
      for (const node of below(from)) {
        const path = to + node.path.slice(from.length)
        if (!node.content) add({ path, kind: 'folder', content: null, modifiedAt: node.modifiedAt })
        else add({ path, kind: 'file', content: await duplicate(blobs, node.content), modifiedAt: node.modifiedAt })
      }
    },
    async remove(path) {
      for (const node of below(path)) {
        nodes.delete(node.path)
        await node.content?.remove()
      }
    },
    usage: (path) => below(path).reduce((sum, { content }) => sum + (content?.size ?? 0), 0),
  }
}

async function duplicate(blobs: Blobs, content: Blob): Promise<Blob> {
  const copy = blobs.create()
  for await (const chunk of content.read() as AsyncIterable<Buffer>) await copy.append(chunk)
  return copy
}
