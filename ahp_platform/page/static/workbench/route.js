// Which address shows which session? `/#/<tenant>/<session uri>`

export function linkTo(tenant, session) {
  return `#/${encodeURIComponent(tenant)}${session ? `/${encodeURIComponent(session)}` : ""}`;
}

/** @returns {{tenant?: string, session?: string} | null} null for a fragment that is not ours */
export function routeOf(hash) {
  if (hash && !hash.startsWith("#/")) return null;
  try {
    const [tenant, session] = hash.slice(2).split("/").map(decodeURIComponent);
    return { tenant: tenant || undefined, session: session || undefined };
  } catch {
    return {};
  }
}
