package org.stillwater.cli;

import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import picocli.AutoComplete;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code ./stillwater completion bash|zsh|fish}. */
@Command(
        name = "completion",
        description = {
            "Prints a script that completes the words of ./stillwater in a shell:",
            "  bash:  source <(./stillwater completion bash)",
            "  zsh:   source <(./stillwater completion zsh)",
            "  fish:  ./stillwater completion fish | source"
        })
final class CompletionCommand implements Callable<Integer> {

    private static final String PROGRAM = "stillwater";

    /** Verbs of the launcher that are no commands of this client. */
    private static final List<String> OTHER_VERBS =
            List.of(
                    "demo",
                    "run",
                    "fake-hosts",
                    "fake-pools",
                    "relay",
                    "bench-guest",
                    "test",
                    "bench",
                    "simulate",
                    "chaos",
                    "replay",
                    "profile",
                    "check-config",
                    "health",
                    "backup",
                    "restore",
                    "move-database",
                    "upgrade",
                    "import-ovirt",
                    "compare-ovirt",
                    "diagnose",
                    "check-dependencies",
                    "dist",
                    "help");

    @Spec private @Nullable CommandSpec spec;

    @Parameters(paramLabel = "SHELL", description = "bash, zsh or fish.")
    private Shell shell = Shell.BASH;

    /** A shell that completes words. */
    enum Shell {
        BASH,
        ZSH,
        FISH;

        @Override
        public String toString() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    @Override
    public Integer call() {
        if (spec == null) {
            throw new IllegalStateException("not a command");
        }
        CommandEnvironment here = CommandEnvironment.of(spec);
        CommandLine all = Client.commandLine(here);
        OTHER_VERBS.forEach(verb -> all.addSubcommand(verb, CommandSpec.create()));
        here.out()
                .print(
                        switch (shell) {
                            case BASH, ZSH -> AutoComplete.bash(PROGRAM, all);
                            case FISH -> fish(all);
                        });
        return 0;
    }

    /** The words of each command, and its options, as fish takes them. */
    static String fish(CommandLine all) {
        StringBuilder script = new StringBuilder("complete -c " + PROGRAM + " -f\n");
        String verbs = String.join(" ", all.getSubcommands().keySet());
        all.getSubcommands()
                .forEach((verb, command) -> {
                    word(script, "not __fish_seen_subcommand_from " + verbs, verb, command);
                    String within = "__fish_seen_subcommand_from " + verb;
                    Map<String, CommandLine> actions = command.getSubcommands();
                    String none =
                            actions.isEmpty()
                                    ? within
                                    : within
                                            + "; and not __fish_seen_subcommand_from "
                                            + String.join(" ", actions.keySet());
                    actions.forEach((name, action) -> {
                        word(script, none, name, action);
                        options(
                                script,
                                within + "; and __fish_seen_subcommand_from " + name,
                                action);
                    });
                });
        return script.toString();
    }

    private static void word(
            StringBuilder script, String condition, String word, CommandLine command) {
        script.append("complete -c ")
                .append(PROGRAM)
                .append(" -n ")
                .append(quoted(condition))
                .append(" -a ")
                .append(quoted(word));
        String[] description = command.getCommandSpec().usageMessage().description();
        if (description.length > 0) {
            script.append(" -d ").append(quoted(description[0]));
        }
        script.append('\n');
    }

    private static void options(StringBuilder script, String condition, CommandLine command) {
        for (OptionSpec option : command.getCommandSpec().options()) {
            script.append("complete -c ").append(PROGRAM).append(" -n ").append(quoted(condition));
            for (String name : option.names()) {
                script.append(name.startsWith("--") ? " -l " : " -s ")
                        .append(name.replaceFirst("^-+", ""));
            }
            if (option.arity().max() > 0) {
                script.append(" -r");
                if (option.completionCandidates() != null) {
                    script.append(" -a ").append(quoted(words(option.completionCandidates())));
                } else if (option.paramLabel().equals("FILE")) {
                    script.append(" -F");
                }
            }
            if (option.description().length > 0) {
                script.append(" -d ").append(quoted(option.description()[0]));
            }
            script.append('\n');
        }
    }

    private static String words(Iterable<String> candidates) {
        return java.util.stream.StreamSupport.stream(candidates.spliterator(), false)
                .collect(Collectors.joining(" "));
    }

    private static String quoted(String text) {
        return "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'";
    }
}
