package org.stillwater.server.settings;

import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * Log lines that the engine keeps for {@code ./stillwater diagnose}.
 *
 * @param logLines newest lines of the log that are kept in memory
 * @param longestLine characters of such a line, with its stack; the rest is cut off
 */
@ConfigurationProperties("stillwater.diagnostics")
public record DiagnosticsSettings(
        @DefaultValue("1000") int logLines, @DefaultValue("4000") int longestLine) {

    public DiagnosticsSettings {
        Checks.number("diagnostics.log-lines", logLines, 10, 100_000);
        Checks.number("diagnostics.longest-line", longestLine, 100, 100_000);
    }
}
