package org.stillwater.server.settings;

import java.time.Duration;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * Waits before the answers to changes under {@code /ovirt-engine/api}, and the greatest number of
 * tags.
 *
 * @param ordered time for a host to accept a command, so that the answer can report a refusal
 * @param ended wait for the end of an action ({@code async} is false), and of changes of
 *     definitions
 * @param mostTags most tags
 */
@ConfigurationProperties("stillwater.ovirt.actions")
public record OvirtActionSettings(
        @DefaultValue("20s") Duration ordered,
        @DefaultValue("60s") Duration ended,
        @DefaultValue("10000") int mostTags) {

    public OvirtActionSettings {
        Checks.duration(
                "ovirt.actions.ordered", ordered, Duration.ofMillis(10), Duration.ofMinutes(10));
        Checks.duration("ovirt.actions.ended", ended, ordered, Duration.ofHours(1));
        Checks.number("ovirt.actions.most-tags", mostTags, 1, 1_000_000);
    }
}
