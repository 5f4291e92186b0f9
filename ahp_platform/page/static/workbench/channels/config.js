// What does a `configChanged` action make of the values that a root or a session holds?

export function withValues(state, action) {
  if (!state.config) return state;
  const values = action.replace ? action.config : { ...state.config.values, ...action.config };
  return { ...state, config: { ...state.config, values } };
}
