/** What the schema says of a table. */
export type Table = {
  readonly name: string
  /** In Prisma's client. */
  readonly client: string
  readonly columns: ReadonlySet<string>
  /** Columns that are unique by themselves. */
  readonly unique: ReadonlySet<string>
  /** Tables that its rows belong to, by the column that names them. */
  readonly references: ReadonlyMap<string, string>
  /** `OWN`: it has `user_id`. `CHILD`: its rows belong to a row of such a table. `USERS`: that table itself. `NONE`: no user's. */
  readonly kind: 'OWN' | 'CHILD' | 'USERS' | 'NONE'
}

/** Reads the models of a Prisma schema, by the names of their tables. */
export function readTables(schema: string): Map<string, Table> {
  const models = [...schema.matchAll(/^model (\w+) \{\n([\s\S]*?)^\}/gm)].map(([, model = '', body = '']) => ({
    model,
    body,
    name: /@@map\("(\w+)"\)/.exec(body)?.[1] ?? model,
  }))
  const names = new Map(models.map(({ model, name }) => [model, name]))
  const parsed = models.map(({ model, body, name }) => {
    const fields = [...body.matchAll(/^ {2}(\w+) +(\w+)(\S*)(.*)$/gm)].filter(([, , type = '']) => !names.has(type))
    const columnOf = new Map(
      fields.map(([, field = '', , , rest = '']) => [field, /@map\("(\w+)"\)/.exec(rest)?.[1] ?? field]),
    )
    const unique = fields.filter(([, , , , rest = '']) => /@id\b|@unique\b/.test(rest)).map(([, field = '']) => field)
    const references = [...body.matchAll(/^ {2}\w+ +(\w+)\?? .*@relation\(.*fields: \[(\w+)\]/gm)].map(
      ([, target = '', field = '']) => [columnOf.get(field) ?? field, names.get(target) ?? target] as const,
    )
    return {
      name,
      client: model[0]?.toLowerCase() + model.slice(1),
      columns: new Set(columnOf.values()),
      unique: new Set(unique.map((field) => columnOf.get(field) ?? field)),
      references: new Map(references),
    }
  })
  const kindOf = kinds(new Map(parsed.map((table) => [table.name, table])))
  return new Map(parsed.map((table) => [table.name, { ...table, kind: kindOf(table.name) }]))
}

function kinds(tables: ReadonlyMap<string, Omit<Table, 'kind'>>): (name: string) => Table['kind'] {
  const kindOf = (name: string, above: readonly string[] = []): Table['kind'] => {
    const table = tables.get(name)
    if (!table || above.includes(name)) return 'NONE'
    if (name === 'users') return 'USERS'
    if (table.columns.has('user_id')) return 'OWN'
    const belongs = [...table.references.values()].some((target) => kindOf(target, [...above, name]) !== 'NONE')
    return belongs ? 'CHILD' : 'NONE'
  }
  return kindOf
}
