//! Completion scripts. `PROGRAM` stands for the program's name, `FUNCTION` for it in identifiers.

/// Returns the script for a shell, if there is one.
pub(super) fn script(shell: &str, program: &str) -> Option<String> {
    let text = match shell {
        "bash" => BASH,
        "zsh" => ZSH,
        "fish" => FISH,
        "powershell" => POWERSHELL,
        _ => return None,
    };
    let function: String =
        program.chars().map(|letter| if letter.is_ascii_alphanumeric() { letter } else { '_' }).collect();
    Some(text.replace("PROGRAM", program).replace("FUNCTION", &function))
}

const BASH: &str = r#"# Completion of PROGRAM for bash: the program itself is asked what fits.

__start_FUNCTION() {
    COMPREPLY=()
    # Bash cuts words at characters such as = and :, the program wants them whole.
    local line=${COMP_LINE:0:COMP_POINT} word rest words=() at
    for ((at = 0; at <= COMP_CWORD; at++)); do
        word=${COMP_WORDS[at]}
        rest=${line#"${line%%[![:space:]]*}"}
        ((at == COMP_CWORD)) && word=$rest
        if ((at > 0)) && [[ ${#rest} -eq ${#line} ]]; then
            words[${#words[@]}-1]+=$word
        else
            words+=("$word")
        fi
        line=${rest#"$word"}
    done
    local current=${words[${#words[@]}-1]}

    local answer directive candidate candidates=()
    answer=$(PROGRAM __completeNoDesc "${words[@]:1}" 2>/dev/null) || return
    directive=${answer##*:}
    answer=${answer%:*}
    ((directive & 1)) && return
    while IFS= read -r candidate; do
        [[ -n $candidate ]] && candidates+=("$candidate")
    done <<<"$answer"

    # What bash replaces begins behind the last = or :.
    local typed=${current##*[=:]} kept=${current%"${current##*[=:]}"}
    if ((directive & 8)); then
        local file extension
        compopt -o filenames 2>/dev/null
        while IFS= read -r file; do
            for extension in "${candidates[@]}"; do
                if [[ -d $file || $file == *."$extension" ]]; then
                    COMPREPLY+=("$file")
                    break
                fi
            done
        done < <(compgen -f -- "$typed")
        return
    fi
    if ((directive & 16)); then
        compopt -o filenames 2>/dev/null
        while IFS= read -r candidate; do COMPREPLY+=("$candidate"); done < <(compgen -d -- "$typed")
        return
    fi
    for candidate in "${candidates[@]}"; do
        candidate=${candidate#"$kept"}
        [[ $candidate == "$typed"* ]] && COMPREPLY+=("$candidate")
    done
    ((directive & 2)) && compopt -o nospace 2>/dev/null
    ((directive & 4)) && compopt +o default 2>/dev/null
    return 0
}

complete -o default -F __start_FUNCTION PROGRAM
"#;

const ZSH: &str = r#"#compdef PROGRAM
# Completion of PROGRAM for zsh: the program itself is asked what fits.

_FUNCTION() {
    local answer directive line text about
    local -a candidates plain
    answer=$(PROGRAM __complete "${(@)words[2,CURRENT-1]}" "${words[CURRENT]%%${SUFFIX}}" 2>/dev/null) || return 1
    directive=${answer##*:}
    answer=${answer%:*}
    (( directive & 1 )) && return 1
    for line in "${(@f)answer}"; do
        [[ -z $line ]] && continue
        text=${line%%$'\t'*}
        plain+=("$text")
        about=""
        [[ $line == *$'\t'* ]] && about=":${line#*$'\t'}"
        candidates+=("${text//:/\\:}$about")
    done
    if (( directive & 8 )); then
        _files -g "*.(${(j:|:)plain})"
        return
    fi
    if (( directive & 16 )); then
        _files -/
        return
    fi
    # A value behind = is completed alone.
    compset -P '--*='
    local -a order ending
    (( directive & 2 )) && ending=(-S '')
    (( directive & 32 )) && order=(-V)
    if (( ${#candidates} )) && _describe "${order[@]}" 'completions' candidates "${ending[@]}"; then
        return 0
    fi
    (( directive & 4 )) && return 1
    _files
}

# Read by source it is registered; read from fpath it is called.
if [ "$funcstack[1]" = "_FUNCTION" ]; then
    _FUNCTION "$@"
else
    compdef _FUNCTION PROGRAM
fi
"#;

const FISH: &str = r#"# Completion of PROGRAM for fish: the program itself is asked what fits.

function __FUNCTION_ask
    set -l words (commandline -opc)
    set -l current (commandline -ct)
    set -l answer (PROGRAM __complete $words[2..-1] "$current" 2>/dev/null)
    or return 1
    set -l directive (string replace ':' '' -- $answer[-1])
    set -e answer[-1]
    if test (math "floor($directive / 1) % 2") -ne 0
        return 1
    end
    if test (math "floor($directive / 8) % 2") -ne 0
        for extension in $answer
            __fish_complete_suffix .$extension
        end
        return 0
    end
    if test (math "floor($directive / 16) % 2") -ne 0
        __fish_complete_directories $current
        return 0
    end
    # A value behind = is told with what stands before it.
    set -l before ''
    if string match -q -- '-*=*' $current
        set before (string replace -r -- '=.*' '=' $current)
    end
    for candidate in $answer
        echo "$before$candidate"
    end
    if test (count $answer) -eq 0 -a (math "floor($directive / 4) % 2") -eq 0
        __fish_complete_path $current
    end
end

complete -c PROGRAM -e
complete -c PROGRAM -f -a '(__FUNCTION_ask)'
"#;

const POWERSHELL: &str = r#"# Completion of PROGRAM for PowerShell: the program itself is asked what fits.

Register-ArgumentCompleter -Native -CommandName 'PROGRAM' -ScriptBlock {
    param($WordToComplete, $CommandAst, $CursorPosition)

    $words = @($CommandAst.CommandElements | Where-Object { $_.Extent.StartOffset -lt $CursorPosition } |
        Select-Object -Skip 1 | ForEach-Object { $_.Extent.Text })
    # The last word is the one to complete; behind a space it is empty.
    if ($WordToComplete -eq '' -or $words.Count -eq 0) {
        $words += '""'
    }
    if ($PSVersionTable.PSVersion -ge [version]'7.3' -and $words[-1] -eq '""') {
        $words[-1] = ''
    }
    $answer = @(& 'PROGRAM' __complete @words 2>$null)
    if ($answer.Count -eq 0) {
        return
    }
    $directive = [int]($answer[-1].TrimStart(':'))
    if ($directive -band 1) {
        return
    }
    # A value behind = is told with what stands before it.
    $before = ''
    if ($WordToComplete -match '^(-.*=)') {
        $before = $Matches[1]
    }
    $space = if ($directive -band 2) { '' } else { ' ' }
    $found = @($answer | Select-Object -SkipLast 1)
    if ($directive -band 24) {
        # Files are PowerShell's own affair.
        return
    }
    foreach ($line in $found) {
        $text, $about = $line -split "`t", 2
        if (-not $about) {
            $about = $text
        }
        $shown = "$before$text"
        [System.Management.Automation.CompletionResult]::new("$shown$space", $text, 'ParameterValue', $about)
    }
    if ($found.Count -eq 0 -and ($directive -band 4)) {
        # Nothing fits, and no files are wanted.
        ''
    }
}
"#;

#[cfg(test)]
mod tests {
    use super::script;

    #[test]
    fn scripts_are_for_the_program_that_prints_them() {
        for shell in ["bash", "zsh", "fish", "powershell"] {
            let script = script(shell, "my-kubectl").unwrap();
            assert!(script.contains("my-kubectl __complete") || script.contains("'my-kubectl' __complete"));
            assert!(!script.contains("PROGRAM") && !script.contains("FUNCTION"), "{shell}");
        }
        assert!(script("tcsh", "kubectl").is_none());
    }
}
