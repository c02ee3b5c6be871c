package org.stillwater.server.settings;

import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * The ordered feed of changes behind streams and pages.
 *
 * @param kept how many of the newest changes are kept, for streams that resume and readers that lag
 * @param batch most changes handed to a reader at once
 */
@ConfigurationProperties("stillwater.feed")
public record FeedSettings(@DefaultValue("16384") int kept, @DefaultValue("512") int batch) {

    public FeedSettings {
        Checks.number("feed.kept", kept, 1, 10_000_000);
        Checks.number("feed.batch", batch, 1, 100_000);
    }
}
