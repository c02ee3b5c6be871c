package org.stillwater.fake.xapi.codec;

import java.util.List;
import org.jspecify.annotations.Nullable;

/** The outcome of a call. */
public sealed interface Reply {

    /** A value of the message's result type. */
    record Success(@Nullable Object value) implements Reply {}

    /** The list of {@code system.listMethods}, which XML-RPC sends without the status around it. */
    record Bare(List<String> names) implements Reply {}

    /** An error's code and its parameters. */
    record Failure(List<String> description) implements Reply {
        public Failure {
            description = List.copyOf(description);
        }
    }

    /** An error that is raised outside the dispatcher: JSON-RPC shows it without its members. */
    record Outside(List<String> description) implements Reply {
        public Outside {
            description = List.copyOf(description);
        }
    }
}
