package org.stillwater.server.diagnostics;

/** Queries to a running engine, each answered as text without secrets. */
public interface EngineDiagnosticsMXBean {

    /** Health with all details, as JSON. */
    String getHealth();

    /** Meters with their present values, one a line. */
    String getMeters();

    /** The newest lines of the log. */
    String getRecentLog();

    /** The given settings, one a line; secrets are masked. */
    String getSettings();
}
