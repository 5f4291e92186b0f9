// Where does the page start? Finds out who is here and which tenant is meant, then opens it.

import { account } from "./account.js";
import { App } from "./app.js";
import { h } from "./dom.js";
import { clientIdOfTab } from "./ids.js";
import { linkTo, routeOf } from "./route.js";
import { Dialogs } from "./views/dialogs.js";
import { NewSession } from "./views/new_session.js";
import { ConnectionState, Notices } from "./views/notices.js";
import { SessionList } from "./views/session_list.js";

const byId = (id) => document.getElementById(id);

// Who answers people that ask for files outside of the workspace.
const APPROVERS = ["owner", "operator"];

async function start() {
  const notices = new Notices(byId("notices"), byId("announcer"));
  try {
    const { username, tenants } = await account();
    if (tenants.length) await open(username, tenants, notices);
    else showPlaceholder("You are not a member of any tenant yet. Ask your administrator to add you.");
  } catch {
    showPlaceholder("The server cannot be reached just now. Reload the page to try again.");
  }
}

async function open(username, tenants, notices) {
  const wanted = routeOf(location.hash)?.tenant;
  const tenant = tenants.find(({ slug }) => slug === wanted) ?? tenants[0];
  if (tenant.slug !== wanted) history.replaceState(null, "", linkTo(tenant.slug));
  const connection = new ConnectionState(byId("connection"), byId("offline"), () => app.wire.wake());
  const page = { main: byId("main"), notices, connection, dialogs: new Dialogs(), showPlaceholder };
  const app = new App(page, { username, tenant, clientId: await clientIdOfTab(username) });
  page.list = new SessionList(app, byId("sessions"));
  showTenants(tenants, tenant);
  page.newSession = offerNewSession(app);
  showPlaceholder(app.openUri && "Opening the session…");
  app.start();
}

function showTenants(tenants, { slug, name, role }) {
  byId("role").textContent = role;
  const requests = byId("access");
  if (requests) requests.hidden = !APPROVERS.includes(role);
  const single = byId("tenant-name");
  const select = byId("tenant");
  single.textContent = name;
  select.replaceChildren(...tenants.map((tenant) => h("option", { value: tenant.slug, selected: tenant.slug === slug }, tenant.name)));
  byId("tenant-choice").hidden = tenants.length < 2;
  single.hidden = tenants.length > 1;
  select.addEventListener("change", () => (location.hash = linkTo(select.value)));
}

function offerNewSession(app) {
  const button = byId("new-session");
  button.hidden = !app.canWrite;
  const dialog = new NewSession(app);
  button.addEventListener("click", () => dialog.show());
  return dialog;
}

function showPlaceholder(text = "Choose a session on the left, or start a new one.") {
  const placeholder = byId("placeholder").content.cloneNode(true);
  placeholder.querySelector("p").textContent = text;
  byId("main").replaceChildren(placeholder);
}

start();
