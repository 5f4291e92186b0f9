// What does the page know about one session: its chats, people, directories, customizations and open requests? The reducer of a session
// channel. Tools and changesets are not shown on this page; their actions leave the state as it is.

import { withValues } from "./config.js";
import { customizationReducers } from "./customizations.js";
import * as status from "./status.js";

const reducers = {
  "session/ready": (state) => ({ ...state, lifecycle: "ready" }),
  "session/creationFailed": (state, action) => ({ ...state, lifecycle: "creationFailed", creationError: action.error }),
  "session/titleChanged": (state, action) => ({ ...state, title: action.title }),
  "session/activityChanged": (state, action) => ({ ...state, activity: action.activity }),
  "session/metaChanged": (state, action) => ({ ...state, _meta: action._meta }),
  "session/configChanged": withValues,
  "session/defaultChatChanged": (state, action) => ({ ...state, defaultChat: action.defaultChat }),
  "session/isReadChanged": (state, action) => flagged(state, status.READ, action.isRead),
  "session/isArchivedChanged": (state, action) => flagged(state, status.ARCHIVED, action.isArchived),
  "session/chatAdded": (state, action) => ({ ...state, chats: upserted(state.chats, action.summary, "resource") }),
  "session/chatRemoved": chatRemoved,
  "session/chatUpdated": chatUpdated,
  "session/activeClientSet": (state, action) => ({
    ...state,
    activeClients: upserted(state.activeClients, action.activeClient, "clientId"),
  }),
  "session/activeClientRemoved": activeClientRemoved,
  "session/workingDirectorySet": workingDirectorySet,
  "session/workingDirectoryRemoved": workingDirectoryRemoved,
  "session/inputNeededSet": inputNeededSet,
  "session/inputNeededRemoved": inputNeededRemoved,
  ...customizationReducers,
};

export function reduceSession(state, action) {
  const reduce = reducers[action.type];
  return reduce ? reduce(state, action) : state;
}

/** The types this page follows, for the test that runs the shared cases. */
export const SESSION_ACTIONS = Object.keys(reducers);

/** The chat to show first: the session's default one, else the one it began with. */
export function firstChat(state) {
  const shown = state.chats.filter((chat) => chat.interactivity !== "hidden");
  const preferred = shown.find((chat) => chat.resource === state.defaultChat);
  return (preferred ?? shown[0])?.resource;
}

function flagged(state, flag, on) {
  return { ...state, status: status.withFlag(state.status, flag, on) };
}

function upserted(list, item, key) {
  const known = list.some((other) => other[key] === item[key]);
  return known ? list.map((other) => (other[key] === item[key] ? item : other)) : [...list, item];
}

function chatRemoved(state, action) {
  const chats = state.chats.filter((chat) => chat.resource !== action.chat);
  if (chats.length === state.chats.length) return state;
  const { defaultChat, ...rest } = { ...state, chats };
  return defaultChat === action.chat ? rest : { ...state, chats };
}

function chatUpdated(state, action) {
  if (!state.chats.some((chat) => chat.resource === action.chat)) return state;
  const { resource, ...changes } = action.changes;
  const chats = state.chats.map((chat) => (chat.resource === action.chat ? { ...chat, ...changes } : chat));
  return { ...state, chats };
}

function activeClientRemoved(state, action) {
  const activeClients = state.activeClients.filter((client) => client.clientId !== action.clientId);
  return activeClients.length === state.activeClients.length ? state : { ...state, activeClients };
}

function workingDirectorySet(state, { directory }) {
  const known = state.workingDirectories ?? [];
  return known.includes(directory) ? state : { ...state, workingDirectories: [...known, directory] };
}

function workingDirectoryRemoved(state, { directory }) {
  const known = state.workingDirectories ?? [];
  return known.includes(directory) ? { ...state, workingDirectories: known.filter((one) => one !== directory) } : state;
}

function inputNeededSet(state, action) {
  const inputNeeded = upserted(state.inputNeeded ?? [], action.request, "id");
  return { ...state, inputNeeded, status: status.withActivity(state.status, status.INPUT_NEEDED) };
}

function inputNeededRemoved(state, action) {
  const inputNeeded = (state.inputNeeded ?? []).filter((request) => request.id !== action.id);
  if (inputNeeded.length === (state.inputNeeded ?? []).length) return state;
  if (inputNeeded.length) return { ...state, inputNeeded };
  const { inputNeeded: _, ...rest } = state;
  return { ...rest, status: status.withActivity(state.status, status.IN_PROGRESS) };
}
