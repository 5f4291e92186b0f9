# Read by bash in place of ~/.bashrc, which it reads itself; then tells the host where commands begin and end (OSC 633).
[ -r ~/.bashrc ] && . ~/.bashrc

if [ -n "$AHP_SHELL_NONCE" ]; then
  __ahp_nonce=$AHP_SHELL_NONCE
  unset AHP_SHELL_NONCE

  __ahp_escaped() {
    local text=${1//\\/\\\\}
    text=${text//;/\\x3b}
    text=${text//$'\n'/\\x0a}
    text=${text//$'\r'/\\x0d}
    text=${text//$'\a'/\\x07}
    __ahp_text=${text//$'\e'/\\x1b}
  }

  __ahp_before_command() {
    local line
    line=$(HISTTIMEFORMAT='' builtin history 1)
    line=${line#"${line%%[![:space:]]*}"}
    line=${line#*[[:space:]]}
    __ahp_escaped "${line#"${line%%[![:space:]]*}"}"
    builtin printf '\e]633;E;%s;%s\a\e]633;C;%s\a' "$__ahp_text" "$__ahp_nonce" "$__ahp_nonce"
  }

  __ahp_before_prompt() {
    local status=$?
    __ahp_escaped "$PWD"
    builtin printf '\e]633;D;%s;%s\a\e]633;P;Cwd=%s;%s\a' "$status" "$__ahp_nonce" "$__ahp_text" "$__ahp_nonce"
    return "$status"
  }

  # Bash 4.4 and later expand PS0 after a command was read and before it runs.
  PS0='$(__ahp_before_command)'"$PS0"
  if [ "${BASH_VERSINFO[0]}" -gt 5 ] || { [ "${BASH_VERSINFO[0]}" -eq 5 ] && [ "${BASH_VERSINFO[1]}" -ge 1 ]; }; then
    PROMPT_COMMAND=(__ahp_before_prompt "${PROMPT_COMMAND[@]}")
  else
    PROMPT_COMMAND="__ahp_before_prompt${PROMPT_COMMAND:+; $PROMPT_COMMAND}"
  fi
fi
