type Named = { readonly name: string; readonly provider: string; readonly providerName: string }

/** "Google Drive · Studio": accounts of different providers often have the same name. This server is not prefixed. */
export function accountLabel({ name, provider, providerName }: Named): string {
  return provider === 'local' || name.includes(providerName) ? name : `${providerName} · ${name}`
}
