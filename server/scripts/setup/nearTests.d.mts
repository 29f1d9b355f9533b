/** Types of nearTests.mjs, which is JavaScript because it runs before anything is compiled. */

export function changedFiles(): string[]

export function nearTests(changed: readonly string[], root?: string): string[]
