// Which agents does this host offer, and how is it configured? The reducer of the root channel.

import { withValues } from "./config.js";

export const ROOT = "ahp-root://";

const reducers = {
  "root/agentsChanged": (state, action) => ({ ...state, agents: action.agents }),
  "root/activeSessionsChanged": (state, action) => ({ ...state, activeSessions: action.activeSessions }),
  "root/terminalsChanged": (state, action) => ({ ...state, terminals: action.terminals }),
  "root/configChanged": withValues,
};

export function reduceRoot(state, action) {
  const reduce = reducers[action.type];
  return reduce ? reduce(state, action) : state;
}

export function agentNamed(state, provider) {
  return state?.agents.find((agent) => agent.provider === provider);
}
