// Who is at the page, and in which tenants? A login that has ended leads back to the login page.

export async function account() {
  const response = await fetch("/api/me", { credentials: "same-origin", headers: { Accept: "application/json" } });
  if (response.status === 401 || response.status === 403) return toLogin();
  if (!response.ok) throw new Error(`/api/me answered ${response.status}`);
  const { user, tenants } = await response.json();
  return { username: typeof user === "string" ? user : user.username, tenants };
}

/** Never resolves: the page is on its way out. The fragment stays with the address, so the same session opens afterwards. */
function toLogin() {
  location.assign(`/login/${location.hash}`);
  return new Promise(() => {});
}
