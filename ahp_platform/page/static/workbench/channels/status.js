// What do the bits of a session's or chat's status say? Bits 0-4 are one activity, the higher ones are flags.

export const IDLE = 1;
export const ERROR = 2;
export const IN_PROGRESS = 8;
export const INPUT_NEEDED = 24;
export const READ = 32;
export const ARCHIVED = 64;

const ACTIVITY_MASK = 31;

export function withActivity(status, activity) {
  return (status & ~ACTIVITY_MASK) | activity;
}

export function withFlag(status, flag, on) {
  return on ? status | flag : status & ~flag;
}

/** @returns {"idle" | "error" | "working" | "waiting"} */
export function activityOf(status) {
  if ((status & INPUT_NEEDED) === INPUT_NEEDED) return "waiting";
  if (status & IN_PROGRESS) return "working";
  return status & ERROR ? "error" : "idle";
}

export const ACTIVITY_TEXT = {
  idle: "Idle",
  error: "Ended with an error",
  working: "Working",
  waiting: "Waiting for an answer",
};
