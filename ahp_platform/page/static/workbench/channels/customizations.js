// Which plugins, directories and MCP servers shape a session's agent? The part of the session reducer that follows them.

/** Type of action -> (session, action) -> the session afterwards, the same object where the action does not fit. */
export const customizationReducers = {
  "session/customizationsChanged": (state, action) => ({ ...state, customizations: action.customizations }),
  "session/customizationToggled": (state, action) => changed(state, action.id, (item) => ({ ...item, enabled: action.enabled })),
  "session/customizationUpdated": updated,
  "session/customizationRemoved": removed,
  "session/mcpServerStateChanged": (state, action) => server(state, action.id, action.state, action.channel),
  "session/mcpServerStartRequested": (state, action) => server(state, action.id, { kind: "starting" }),
  "session/mcpServerStopRequested": (state, action) => server(state, action.id, { kind: "stopped" }),
};

/** Containers first, then what is in them. */
function changed(state, id, change) {
  const items = state.customizations ?? [];
  const top = items.findIndex((item) => item.id === id);
  if (top >= 0) return { ...state, customizations: items.with(top, change(items[top])) };
  const holder = items.findIndex((item) => item.children?.some((child) => child.id === id));
  if (holder < 0) return state;
  const children = items[holder].children.map((child) => (child.id === id ? change(child) : child));
  return { ...state, customizations: items.with(holder, { ...items[holder], children }) };
}

function updated(state, { customization }) {
  const items = state.customizations ?? [];
  const at = items.findIndex((item) => item.id === customization.id);
  return { ...state, customizations: at < 0 ? [...items, customization] : items.with(at, customization) };
}

function removed(state, { id }) {
  const items = state.customizations ?? [];
  if (items.some((item) => item.id === id)) return { ...state, customizations: items.filter((item) => item.id !== id) };
  const holder = items.findIndex((item) => item.children?.some((child) => child.id === id));
  if (holder < 0) return state;
  const children = items[holder].children.filter((child) => child.id !== id);
  return { ...state, customizations: items.with(holder, { ...items[holder], children }) };
}

function server(state, id, now, channel) {
  return changed(state, id, (item) => {
    if (item.type !== "mcpServer") return item;
    const { channel: _, ...rest } = item;
    return { ...rest, state: now, ...(channel === undefined ? {} : { channel }) };
  });
}
