package org.stillwater.cli;

import java.io.Console;
import java.io.PrintWriter;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Model.CommandSpec;

/**
 * Environment of a command at its start.
 *
 * @param out answers
 * @param err progress and errors
 * @param environment variables
 * @param foundUrl the engine that the launcher has found on this machine, null for none
 * @param foundCa its authorities, null for none
 * @param interactive whether a person reads {@code err}
 */
record CommandEnvironment(
        PrintWriter out,
        PrintWriter err,
        Map<String, String> environment,
        @Nullable String foundUrl,
        @Nullable String foundCa,
        boolean interactive) {

    CommandEnvironment {
        environment = Map.copyOf(environment);
    }

    /** The terminal that a person types at; null if there is none. */
    @SuppressWarnings("SystemConsoleNull") // it is null with the console of java.base
    static @Nullable Console terminal() {
        Console console = System.console();
        return console == null || !console.isTerminal() ? null : console;
    }

    static CommandEnvironment of(CommandSpec command) {
        if (command.root().userObject() instanceof Client client) {
            return client.surroundings();
        }
        throw new IllegalStateException("no client");
    }
}
