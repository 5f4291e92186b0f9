# Read by an interactive zsh: the user's own file, then hooks that tell the host where commands begin and end (OSC 633).
ZDOTDIR=$__ahp_user_zdotdir
[[ $ZDOTDIR == $HOME ]] && unset ZDOTDIR
unset __ahp_zdotdir
HISTFILE=${HISTFILE:-$__ahp_user_zdotdir/.zsh_history}
[[ -r $__ahp_user_zdotdir/.zshrc ]] && . $__ahp_user_zdotdir/.zshrc

if [[ -n $AHP_SHELL_NONCE ]]; then
  __ahp_nonce=$AHP_SHELL_NONCE
  unset AHP_SHELL_NONCE

  __ahp_escaped() {
    emulate -L zsh
    local text=${1//\\/\\\\}
    text=${text//;/\\x3b}
    text=${text//$'\n'/\\x0a}
    text=${text//$'\r'/\\x0d}
    text=${text//$'\a'/\\x07}
    __ahp_text=${text//$'\e'/\\x1b}
  }

  __ahp_before_command() {
    __ahp_escaped "$1"
    builtin printf '\e]633;E;%s;%s\a\e]633;C;%s\a' "$__ahp_text" "$__ahp_nonce" "$__ahp_nonce"
  }

  __ahp_before_prompt() {
    local code=$?
    __ahp_escaped "$PWD"
    builtin printf '\e]633;D;%s;%s\a\e]633;P;Cwd=%s;%s\a' "$code" "$__ahp_nonce" "$__ahp_text" "$__ahp_nonce"
  }

  preexec_functions=(__ahp_before_command $preexec_functions)
  precmd_functions=(__ahp_before_prompt $precmd_functions)
fi
