// How does one give the token that an agent, a tool or a server asks for? It goes to the host, which keeps it for this person alone.

import { ROOT } from "../channels/root.js";
import { h } from "../dom.js";
import { link } from "../markdown.js";
import { errorText } from "../words.js";

/** `resource`: its ProtectedResourceMetadata; `request(method, params)`; `onDone()`: the host has taken the token. */
export function signInForm(resource, { scopes = [], description } = {}, request, onDone) {
  const name = resource.resource_name || resource.resource;
  const token = h("input", { type: "password", autocomplete: "off", required: true });
  const problem = h("p", { class: "problem", role: "alert" });
  const servers = (resource.authorization_servers ?? []).filter((url) => /^https?:\/\//.test(url));
  const form = h(
    "form",
    { class: "sign-in" },
    h("p", {}, description || `${name} wants to know who you are.`),
    servers.length ? h("p", { class: "hint" }, "A token comes from ", servers.flatMap((url, at) => [at ? ", " : "", link(url, url)]), scopes.length ? ` for ${scopes.join(", ")}` : "") : null,
    h("label", { class: "field" }, h("span", {}, `Your token for ${name}`), token),
    problem,
    h("div", { class: "buttons" }, h("button", { type: "submit", class: "primary" }, "Sign in")),
  );
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    problem.textContent = "";
    try {
      await request("authenticate", { channel: ROOT, resource: resource.resource, token: token.value, ...(scopes.length ? { scopes } : {}) });
      token.value = "";
      onDone?.();
    } catch (error) {
      problem.textContent = error.code === -32007 ? "This token was not accepted." : errorText(error);
    }
  });
  return form;
}
