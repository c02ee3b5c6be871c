package org.stillwater.cli;

import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** A verb with its commands as methods. Without a command it prints its usage. */
abstract class VerbCommand implements Callable<Integer> {

    @Spec private @Nullable CommandSpec spec;

    /** Environment of the command: its streams and settings. */
    final CommandEnvironment here() {
        return CommandEnvironment.of(spec());
    }

    @Override
    public final Integer call() {
        return Client.usage(spec());
    }

    private CommandSpec spec() {
        if (spec == null) {
            throw new IllegalStateException("not a command");
        }
        return spec;
    }
}
