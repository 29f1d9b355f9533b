import { parseSync } from 'vite'

/** A syntax tree of ESTree. */
export type Node = {
  readonly type: string
  readonly start: number
  readonly end: number
  readonly [key: string]: unknown
}

/** @throws Error when the code cannot be parsed */
export function parsed(file: string, code: string): Node {
  const { program, errors } = parseSync(file, code)
  if (errors.length > 0) throw new Error(`${file}: ${errors[0]?.message}`)
  return program as unknown as Node
}

/** The nodes of a list, without holes. */
export function listOf(node: Node, key: string): readonly Node[] {
  return ((node[key] as readonly (Node | null)[] | undefined) ?? []).filter((each): each is Node => each !== null)
}

/** The nodes directly below, in the order of the code. */
export function childrenOf(node: Node): Node[] {
  return Object.values(node).flatMap((value) => {
    const all = Array.isArray(value) ? value : [value]
    return all.filter(
      (each): each is Node => typeof each === 'object' && each !== null && typeof each.type === 'string',
    )
  })
}

/** Runs `act` for the node and all below it. */
export function forEachNode(
  node: Node,
  act: (node: Node, parent: Node | null) => void,
  parent: Node | null = null,
): void {
  act(node, parent)
  for (const child of childrenOf(node)) forEachNode(child, act, node)
}
