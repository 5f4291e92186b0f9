# Read first by zsh. The user's own file may move ZDOTDIR; ours must be found again for the file that follows.
__ahp_zdotdir=$ZDOTDIR
unset ZDOTDIR
[[ -r ~/.zshenv ]] && . ~/.zshenv
__ahp_user_zdotdir=${ZDOTDIR:-$HOME}
ZDOTDIR=$__ahp_zdotdir
