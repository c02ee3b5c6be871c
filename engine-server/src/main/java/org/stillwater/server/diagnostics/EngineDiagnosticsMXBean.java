package org.stillwater.server.diagnostics;

/** What can be asked of a running engine, each as text without secrets. */
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
