// Where do this page's identifiers come from? Works on plain HTTP too, where crypto.randomUUID is withheld.

export function newId() {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  bytes[6] = (bytes[6] & 0x0f) | 0x40;
  bytes[8] = (bytes[8] & 0x3f) | 0x80;
  const hex = Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, "$1-$2-$3-$4-$5");
}

/**
 * The client id of this tab: the same after a reload, another one in another tab. A duplicated tab inherits the storage of its
 * original, so the id is also locked for as long as the page lives; whoever finds it taken makes a new one.
 */
export async function clientIdOfTab(username) {
  const key = `ahp.client.${username}`;
  const kept = sessionStorage.getItem(key);
  const id = kept && (await lock(kept)) ? kept : newId();
  if (id !== kept) await lock(id);
  sessionStorage.setItem(key, id);
  return id;
}

function lock(id) {
  if (!navigator.locks) return Promise.resolve(true);
  return new Promise((resolve) => {
    navigator.locks.request(`ahp.client.${id}`, { ifAvailable: true }, (held) => {
      resolve(held !== null);
      return held === null ? undefined : new Promise(() => {});
    });
  });
}
