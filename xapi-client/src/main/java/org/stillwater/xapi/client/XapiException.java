package org.stillwater.xapi.client;

import java.io.IOException;

/** Why a call brought no result. */
public abstract sealed class XapiException extends IOException {

    private static final long serialVersionUID = 1L;

    XapiException(String message, @org.jspecify.annotations.Nullable Throwable cause) {
        super(message, cause);
    }

    /** XAPI refused the call. */
    public static final class Failure extends XapiException {

        private static final long serialVersionUID = 1L;

        private final transient java.util.List<String> description;

        Failure(java.util.List<String> description) {
            super(String.join(" ", description), null);
            this.description = java.util.List.copyOf(description);
        }

        /** The error's code. */
        public String code() {
            return description.isEmpty() ? "" : description.getFirst();
        }

        /** Its parameters. */
        public java.util.List<String> parameters() {
            return description.isEmpty() ? description : description.subList(1, description.size());
        }
    }

    /** The peer's bytes are no reply of XAPI. */
    public static final class Protocol extends XapiException {

        private static final long serialVersionUID = 1L;

        Protocol(String message, @org.jspecify.annotations.Nullable Throwable cause) {
            super(message, cause);
        }
    }

    /** No host of the pool answers, or the wrong ones do. */
    public static sealed class Unreachable extends XapiException {

        private static final long serialVersionUID = 1L;

        Unreachable(String message, @org.jspecify.annotations.Nullable Throwable cause) {
            super(message, cause);
        }
    }

    /** The certificate is not the pinned one, or not of the given authority. */
    public static final class Untrusted extends XapiException {

        private static final long serialVersionUID = 1L;

        Untrusted(String message, @org.jspecify.annotations.Nullable Throwable cause) {
            super(message, cause);
        }
    }

    /** A member names a coordinator that does not serve. */
    public static final class NoCoordinator extends Unreachable {

        private static final long serialVersionUID = 1L;

        NoCoordinator(String message, @org.jspecify.annotations.Nullable Throwable cause) {
            super(message, cause);
        }
    }
}
