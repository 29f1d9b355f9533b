import { readFileSync } from 'node:fs'

export type DashboardPanel = { readonly title: string; readonly targets?: readonly { readonly expr: string }[] }

/** The queries of the dashboard, as Grafana sends them for all servers. */
export function dashboardQueries(): string[] {
  const { panels } = JSON.parse(readFileSync('deploy/grafana-dashboard.json', 'utf8')) as {
    readonly panels: readonly DashboardPanel[]
  }
  return panels
    .flatMap(({ targets = [] }) => targets.map(({ expr }) => expr))
    .map((expr) =>
      expr.replaceAll('$job', 'skypool').replaceAll('$instance', '.*').replaceAll('$__rate_interval', '5m'),
    )
}

/** The conditions of the alert rules. */
export function alertQueries(): string[] {
  const text = readFileSync('deploy/alerts.yml', 'utf8')
  return [...text.matchAll(/^ {8}expr: (?:>-\n((?: {10}.*\n)+)|(.*)\n)/gm)].map(([, long, short = '']) =>
    (long ?? short).replace(/\s+/g, ' ').trim(),
  )
}

/** Names of the metrics in a query. */
export function namesIn(query: string): string[] {
  return query.match(/\b(?:skypool|nodejs|process)_\w+/g) ?? []
}
