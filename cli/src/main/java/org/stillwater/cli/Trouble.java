package org.stillwater.cli;

/** Failure that ends a command: a sentence for the user with the remedy, and an exit code. */
class Trouble extends RuntimeException {

    private static final long serialVersionUID = 1;

    private final int exitCode;

    Trouble(int exitCode, String message) {
        super(message);
        this.exitCode = exitCode;
    }

    /** The engine keeps no changes since the revision that was requested. */
    static final class Gone extends Trouble {

        private static final long serialVersionUID = 1;

        Gone(String message) {
            super(Exit.REFUSED, message);
        }
    }

    /** The engine has no such object, or the user may not read it. */
    static final class Missing extends Trouble {

        private static final long serialVersionUID = 1;

        Missing(String message) {
            super(Exit.REFUSED, message);
        }
    }

    /** The engine gives fewer entries at once than were requested. */
    static final class LimitExceeded extends Trouble {

        private static final long serialVersionUID = 1;

        private final int most;

        LimitExceeded(String message, int most) {
            super(Exit.REFUSED, message);
            this.most = most;
        }

        /** Most entries of one request. */
        int most() {
            return most;
        }
    }

    Trouble(int exitCode, String message, Throwable cause) {
        super(message, cause);
        this.exitCode = exitCode;
    }

    final int exitCode() {
        return exitCode;
    }

    final String sentence() {
        return String.valueOf(getMessage());
    }
}
