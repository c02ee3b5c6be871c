package org.stillwater.server.tls;

import org.jspecify.annotations.Nullable;
import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;

/** The engine cannot speak TLS like this: what is wrong, and what a person can do. */
final class TlsRefused extends RuntimeException {

    private final String action;

    TlsRefused(String problem, String action, @Nullable Throwable cause) {
        super(problem, cause);
        this.action = action;
    }

    /** What a person can do. */
    String action() {
        return action;
    }

    /** What a person reads instead of a stack. */
    static final class Explained extends AbstractFailureAnalyzer<TlsRefused> {

        @Override
        protected FailureAnalysis analyze(Throwable root, TlsRefused cause) {
            return new FailureAnalysis(cause.getMessage(), cause.action, root);
        }
    }
}
