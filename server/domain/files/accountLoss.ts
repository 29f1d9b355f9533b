/** SQL: why the account `alias` cannot be read from now; null when it can. As `Loss` of assess.ts. */
export const lossSql = (alias: string): string => `case
  when ${alias}.disconnected_at is not null then 'DISCONNECTED'
  when ${alias}.status = 'EXPIRED' then 'EXPIRED'
  when ${alias}.unreachable_since is not null then 'UNREACHABLE' end`

/** SQL: whether the account `alias` can be read from now. */
export const presentSql = (alias: string): string =>
  `(${alias}.disconnected_at is null and ${alias}.status = 'CONNECTED' and ${alias}.unreachable_since is null)`
