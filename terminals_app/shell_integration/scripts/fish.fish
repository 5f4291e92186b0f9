# Read by fish after the user's own configuration: tells the host where commands begin and end (OSC 633).
if set -q AHP_SHELL_NONCE
    set -g __ahp_nonce $AHP_SHELL_NONCE
    set -e AHP_SHELL_NONCE

    function __ahp_escaped
        string replace -a '\\' '\\\\' -- $argv[1] | string replace -a ';' '\x3b' | string replace -a \e '\x1b' | string replace -a \a '\x07' | string join '\x0a'
    end

    function __ahp_before_command --on-event fish_preexec
        printf '\e]633;E;%s;%s\a\e]633;C;%s\a' (__ahp_escaped "$argv[1]") $__ahp_nonce $__ahp_nonce
    end

    function __ahp_after_command --on-event fish_postexec
        printf '\e]633;D;%s;%s\a' $status $__ahp_nonce
    end

    function __ahp_before_prompt --on-event fish_prompt
        printf '\e]633;P;Cwd=%s;%s\a' (__ahp_escaped "$PWD") $__ahp_nonce
    end
end
