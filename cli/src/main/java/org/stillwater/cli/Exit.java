package org.stillwater.cli;

/** Exit codes, as {@code docs/how-to/use-the-command-line.md} lists them. */
final class Exit {

    /** The engine refused the request, or an operation failed. */
    static final int REFUSED = 1;

    /** The command line is wrong: picocli's own. */
    static final int USAGE = 2;

    /** No engine answered, or the connection was lost. */
    static final int NO_ANSWER = 3;

    /** The engine requests a login, or the user may not do this. */
    static final int NOT_ALLOWED = 4;

    private Exit() {}
}
