/** A key cap: decoration for a shortcut that is described elsewhere. */
export function Kbd({ children }: { children: string }) {
  return (
    <span className="kbd" aria-hidden>
      {children}
    </span>
  )
}
