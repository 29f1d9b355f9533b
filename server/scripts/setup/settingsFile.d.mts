export function addSettingsFile(environment?: Record<string, string | undefined>, file?: string): string[]
