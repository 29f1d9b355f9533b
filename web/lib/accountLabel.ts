type Named = { readonly name: string; readonly provider: string; readonly providerName: string }

/** "Google Drive · Studio": people give accounts of several providers the same name. This server is itself. */
export function accountLabel({ name, provider, providerName }: Named): string {
  return provider === 'local' || name.includes(providerName) ? name : `${providerName} · ${name}`
}
