package org.stillwater.server.security;

import org.jspecify.annotations.Nullable;
import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;

/** The engine cannot start securely with these settings; contains the problem and the remedy. */
final class SecurityRefused extends RuntimeException {

    private final String action;

    SecurityRefused(String problem, String action, @Nullable Throwable cause) {
        super(problem, cause);
        this.action = action;
    }

    /** Explanation that replaces the stack trace. */
    static final class Explained extends AbstractFailureAnalyzer<SecurityRefused> {

        @Override
        protected FailureAnalysis analyze(Throwable root, SecurityRefused cause) {
            return new FailureAnalysis(cause.getMessage(), cause.action, root);
        }
    }
}
