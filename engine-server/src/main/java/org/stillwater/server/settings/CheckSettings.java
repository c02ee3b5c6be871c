package org.stillwater.server.settings;

import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * Checks of the statistics of VMs.
 *
 * @param ballooning whether clusters give memory of VMs back by ballooning; without it balloons are
 *     not checked
 * @param balloonIterations polls that may show a problem of a balloon before the next one reports
 *     it
 */
@ConfigurationProperties("stillwater.checks")
public record CheckSettings(
        @DefaultValue("true") boolean ballooning, @DefaultValue("3") int balloonIterations) {

    public CheckSettings {
        Checks.number("checks.balloon-iterations", balloonIterations, 0, 127);
    }
}
