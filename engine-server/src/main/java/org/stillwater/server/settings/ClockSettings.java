package org.stillwater.server.settings;

import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.ConfigurationProperties;

/**
 * The engine's clock.
 *
 * @param offsetFile for tests of clock jumps only: a file with an ISO 8601 duration, such as PT1H
 *     or -PT10M, by which the wall clock is moved
 */
@ConfigurationProperties("stillwater.clock")
public record ClockSettings(@Nullable Path offsetFile) {

    public ClockSettings {
        Checks.require(
                offsetFile == null || offsetFile.isAbsolute(),
                "clock.offset-file",
                "an absolute path",
                String.valueOf(offsetFile));
    }
}
