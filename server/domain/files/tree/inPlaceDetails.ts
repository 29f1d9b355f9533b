import type { EntryRights, NativeKind } from '../../../providers/driver.ts'
import { parseExportTypes } from '../../../providers/exportTypes.ts'
import type { InPlaceDetails } from '../contract.ts'

const RIGHTS = { read: 1, write: 2, rename: 4, move: 8, delete: 16, share: 32 } as const satisfies Record<
  keyof EntryRights,
  number
>

/** The sum of the bits in `account_entries.rights`. */
export function rightsToBits(rights: EntryRights): number {
  return Object.entries(RIGHTS).reduce((sum, [name, bit]) => sum + (rights[name as keyof EntryRights] ? bit : 0), 0)
}

/** By the sum of their bits: a page of a list has as many rights as rows, mostly the same ones. */
const ALL_RIGHTS: readonly EntryRights[] = Array.from({ length: 64 }, (_, bits) => {
  const has = (name: keyof EntryRights) => (bits & RIGHTS[name]) !== 0
  return {
    read: has('read'),
    write: has('write'),
    rename: has('rename'),
    move: has('move'),
    delete: has('delete'),
    share: has('share'),
  }
})

/** @param bits as rightsToBits returns them */
export function rightsOfBits(bits: number): EntryRights {
  return ALL_RIGHTS[bits & 63] as EntryRights
}

/** Read, write and share: the folder that shows an account is renamed and removed with the account. */
const ROOT_RIGHTS = 35

/** Read, move and share: a file that the account does not have yet can be moved to a folder of Skypool's own. */
const ARRIVING_RIGHTS = 41

/** What IN_PLACE_COLUMN reads of an entry in an account; an array, because that is the shortest form in a long page. */
export type InPlaceRow = readonly [
  webUrl: string | null,
  nativeKind: NativeKind | null,
  exportTypes: string | null,
  rights: number,
  asOf: string | null,
  mayBeProtected: boolean,
]

/**
 * The SQL of an InPlaceRow for a table alias `f` of `files`; null for Skypool's own entries. It is part of most statements: each further
 * table and column would cost Skypool's own entries time, too.
 */
export const IN_PLACE_COLUMN = `case when f.account_id is not null then (
    select json_build_array(e.web_url, e.native_kind, e.export_types,
      coalesce(e.rights, case when i.root_file_id = f.id then ${ROOT_RIGHTS} else ${ARRIVING_RIGHTS} end),
      case when i.walked and f.kind = 'FOLDER' then greatest(i.as_of, case when e.file_id is null then i.looked_at else e.looked_at end) end,
      exists (select from protections p where p.account_id = i.account_id))
    from account_indexes i left join account_entries e on e.file_id = f.id where i.account_id = f.account_id) end`

/** Of a file that was just received for a folder of an account. */
export const ARRIVING: InPlaceDetails = {
  webUrl: null,
  nativeKind: null,
  exportTypes: [],
  rights: rightsOfBits(ARRIVING_RIGHTS),
  asOf: null,
  mayBeProtected: true,
}

export function toInPlaceDetails(row: InPlaceRow): InPlaceDetails {
  const [webUrl, nativeKind, exportTypes, rights, asOf, mayBeProtected] = row
  return {
    webUrl,
    nativeKind,
    exportTypes: parseExportTypes(exportTypes),
    rights: rightsOfBits(rights),
    asOf: asOf === null ? null : new Date(asOf),
    mayBeProtected,
  }
}
