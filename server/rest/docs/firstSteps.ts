import { type Html, html } from '../../lib/html.ts'

/** What a newcomer pastes into a shell, in this order. */
const ADDRESS = (origin: string) => `export SKYPOOL=${origin}
export SKYPOOL_KEY=sky_live_…`

const UPLOAD = `echo 'Pier 4, gate B' > note.txt
curl "$SKYPOOL/api/v1/files" \\
  -H "Authorization: Bearer $SKYPOOL_KEY" \\
  -F file=@note.txt`

const LIST = `curl "$SKYPOOL/api/v1/files?view=all&limit=20" \\
  -H "Authorization: Bearer $SKYPOOL_KEY"`

/** From nothing to the first list of files, with the address that the reader came by. */
export function renderFirstSteps(origin: string): Html {
  return html`<section id="first-steps"><h2>First steps</h2>
<ol>
<li>Make a key on the page <a href="/key-management">API Keys</a>, copy it, and tell your shell about it:
<pre tabindex="0"><code>${ADDRESS(origin)}</code></pre></li>
<li>Upload a file. The answer means that it is safe on disk:
<pre tabindex="0"><code>${UPLOAD}</code></pre></li>
<li>List your files:
<pre tabindex="0"><code>${LIST}</code></pre></li>
</ol>
<p>Every call below that a key may make has an example that works with the same two variables. The same by queries of your own, and live:
<a href="/docs/graphql">GraphQL</a>.</p></section>`
}
