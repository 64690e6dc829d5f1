// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT

#include "completion.hpp"

#include <string_view>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace tutti::tools {
namespace {

// To bash "--transport=t" is three words. A program begins with the first word that is neither an option nor the value
// of one. What completes a program's own arguments is there where bash-completion is loaded.
constexpr std::string_view bash_body = R"(
_tutti() {
    local current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD - 1]} command='' words='' prefix=''
    local -i k program=0
    [[ $current == = ]] && current=''
    [[ $previous == = ]] && previous=${COMP_WORDS[COMP_CWORD - 2]}
    for ((k = 1; k <= COMP_CWORD; ++k)); do
        if [[ -z $command ]]; then
            ((k < COMP_CWORD)) && [[ " $_tutti_commands " == *" ${COMP_WORDS[k]} "* ]] && command=${COMP_WORDS[k]}
        elif [[ $command == "$_tutti_starts_a_program" ]]; then
            if [[ ${COMP_WORDS[k]} == -- ]] && ((k < COMP_CWORD)); then
                program=$((k + 1))
                break
            elif [[ ${COMP_WORDS[k]} != -* ]]; then
                program=$k
                break
            elif [[ ${COMP_WORDS[k + 1]} == = ]]; then
                ((k += 2))
            elif _tutti_value "$command" "${COMP_WORDS[k]}"; then
                ((++k))
            fi
        fi
    done
    if ((program > 0 && program < COMP_CWORD)) && declare -F _command_offset >/dev/null; then
        _command_offset "$program"
        return
    fi
    if ((program > 0)); then
        mapfile -t COMPREPLY < <(compgen -f -- "$current"; ((program < COMP_CWORD)) || compgen -c -- "$current")
        compopt -o filenames 2>/dev/null
        return
    fi
    if _tutti_value "$command" "$previous"; then
        if [[ $words == '<file>' ]]; then
            mapfile -t COMPREPLY < <(compgen -f -- "$current")
            compopt -o filenames 2>/dev/null
            return
        fi
        [[ $current == *,* ]] && prefix=${current%,*},
        current=${current##*,}
    else
        _tutti_words "$command"
    fi
    mapfile -t COMPREPLY < <(compgen -P "$prefix" -W "$words" -- "$current")
}
complete -F _tutti tutti
)";

std::string bash_words(const command_text& command) {
    std::vector<std::string> words;
    for (const option_text& o : command.options) words.insert(words.end(), o.names.begin(), o.names.end());
    for (const command_text& sub : command.commands) words.push_back(sub.name);
    return fmt::format("{}", fmt::join(words, " "));
}

std::string bash_values(const command_text& command, std::string_view name) {
    std::string out;
    for (const option_text& o : command.options) {
        if (o.value.empty()) continue;
        std::vector<std::string> patterns;
        for (const std::string& option : o.names) patterns.push_back(fmt::format("{}:{}", name, option));
        out += fmt::format("    {}) words='{}' ;;\n", fmt::join(patterns, " | "),
                           o.file ? "<file>" : fmt::format("{}", fmt::join(o.words, " ")));
    }
    return out;
}

} // namespace

std::string bash_completion(const command_text& all) {
    std::vector<std::string> names;
    std::string words = fmt::format("    '') words='{}' ;;\n", bash_words(all)), values = bash_values(all, "");
    for (const command_text& command : all.commands) {
        names.push_back(command.name);
        words += fmt::format("    {}) words='{}' ;;\n", command.name, bash_words(command));
        values += bash_values(command, command.name);
    }
    std::string out = "# Completes the command line of tutti in bash. Made by: tutti completion bash\n";
    out += fmt::format("_tutti_commands='{}'\n_tutti_starts_a_program={}\n", fmt::join(names, " "), starts_a_program);
    out += "\n# Sets words to what may follow: commands and options.\n";
    out += fmt::format("_tutti_words() {{\n    case $1 in\n{}    esac\n}}\n", words);
    out += "\n# Whether that option of that command takes a value; sets words to those that are known.\n";
    out += fmt::format("_tutti_value() {{\n    case $1:$2 in\n{}    *) return 1 ;;\n    esac\n}}\n", values);
    return out.append(bash_body);
}

} // namespace tutti::tools
