package org.stillwater.server.tls;

import org.jspecify.annotations.Nullable;
import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;

/** The engine cannot serve TLS with these files; contains the problem and the remedy. */
final class TlsRefused extends RuntimeException {

    private final String action;

    TlsRefused(String problem, String action, @Nullable Throwable cause) {
        super(problem, cause);
        this.action = action;
    }

    /** Remedy for administrators. */
    String action() {
        return action;
    }

    /** Explanation that replaces the stack trace. */
    static final class Explained extends AbstractFailureAnalyzer<TlsRefused> {

        @Override
        protected FailureAnalysis analyze(Throwable root, TlsRefused cause) {
            return new FailureAnalysis(cause.getMessage(), cause.action, root);
        }
    }
}
